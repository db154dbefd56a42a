// SPDX-License-Identifier: Apache-2.0
import { UnknownContentError, type Block, type UnknownPart } from '@chainwatch/chain-core';
import { waitFor } from '@chainwatch/testing';
import type { SpecEndpoint } from './spec-chain.ts';
import type { SpecWorld } from './spec-world.ts';

/** An endpoint, or its decoder, that does not know the kinds of `parts` in the blocks with these hashes. */
export function makeBlind(
  label: string,
  parts: ReadonlyMap<string, readonly UnknownPart[]>,
  change: (block: Block) => Block = (block) => block,
): SpecEndpoint {
  return {
    label,
    tell: (block, options) => {
      const unknowns = parts.get(block.hash);
      if (unknowns === undefined) return block;
      if (options?.takeUnknown !== true)
        throw new UnknownContentError(
          `${label} does not know ${unknowns.map(({ kind }) => kind).join()}`,
          unknowns,
        );
      const isUnproved = (hash: string): boolean =>
        unknowns.some(({ transactionHash }) => transactionHash === undefined || transactionHash === hash);
      return change({
        ...block,
        unknowns,
        transactions: block.transactions.map((transaction) =>
          isUnproved(transaction.hash) ? { ...transaction, verification: 'unproved' } : transaction,
        ),
      });
    },
  };
}

/** The same block with every transfer of `hash` worth one more. */
export const withMore =
  (hash: string) =>
  (block: Block): Block => ({
    ...block,
    transactions: block.transactions.map((transaction) =>
      transaction.hash === hash
        ? {
            ...transaction,
            transfers: transaction.transfers.map((transfer) => ({
              ...transfer,
              amountRaw: transfer.amountRaw + 1n,
            })),
          }
        : transaction,
    ),
  });

export const partOf = (kind: string, transactionHash?: string): UnknownPart => ({
  kind,
  transactionHash,
  expected: 'type 0x0 to 0x4',
  got: kind,
});

/** Ends the wait of everything that waits now. */
export async function passLimit(world: SpecWorld): Promise<void> {
  await world.db.query(
    `UPDATE incidents SET created_at = created_at - interval '1 day' WHERE status = 'open'`,
  );
}

export const incidents = (world: SpecWorld) =>
  world.rows<{ kind: string; status: string }>(
    'SELECT kind, status, block_number, last_block_number, transaction_hash, is_contradicted FROM incidents ORDER BY block_number, kind',
  );

export const transactions = (world: SpecWorld) =>
  world.rows<{ hash: string; status: string }>(
    'SELECT hash, status, is_unproved, is_withheld FROM transactions ORDER BY block_number, tx_index',
  );

export async function accept(world: SpecWorld): Promise<void> {
  await world.db.query(`UPDATE incidents SET status = 'accepted', accepted_at = now() WHERE status = 'open'`);
}

/** Asks for blocks to be processed again, as the gateway does, and waits until that is done. */
export async function reprocess(world: SpecWorld, fromBlock: number, toBlock: number): Promise<void> {
  await requestReprocess(world, fromBlock, toBlock);
  await waitFor(
    async () => (await world.rows(`SELECT FROM reprocesses WHERE status = 'running'`)).length === 0,
    { intervalMs: 10, message: 'the blocks to be processed again' },
  );
}

export async function requestReprocess(world: SpecWorld, fromBlock: number, toBlock: number): Promise<void> {
  await world.db.query(
    'INSERT INTO reprocesses (chain_gid, from_block, to_block, next_block) VALUES ($1, $2, $3, $2)',
    [world.gid, fromBlock, toBlock],
  );
}
