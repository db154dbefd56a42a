import { BlockNotFoundError, ChainClientError, unwrap } from '@chainwatch/chain-core';
import type { BlockRef, BlocksOfAddresses, BlocksWanted } from '@chainwatch/chain-core';
import { traitsAt } from './networks.ts';
import { findLogBlocks } from './find-log-blocks.ts';
import { parseRawBlock } from './parse-raw-block.ts';
import type { RawBlock } from './raw-block.ts';
import type { Session } from './session.ts';
import { UnknownParts } from './unknown-parts.ts';
import { verifyHeaderOf } from './parse-header.ts';
import { verifyTransactions } from './verify-transactions.ts';

/** Blocks of one answer, and bodies that are asked for at once. */
const PAGE_BLOCKS = 64;
const BODIES_AT_ONCE = 16;

/**
 * The blocks whose logs name an address, and those with a transaction from or to one: receipts are then read of these
 * alone. Where the node traces, payments out of contracts show in the trace of any block, so all are read; so they are
 * where it gives no logs, and where a part of the blocks is no transaction of theirs (Polygon's state syncs).
 */
export async function findBlocksOf(
  session: Session,
  { addresses, fromBlock, toBlock: wanted }: BlocksWanted,
  signal?: AbortSignal,
): Promise<BlocksOfAddresses | undefined> {
  const { capabilities, traits } = session;
  const isStrict = traitsAt(traits, fromBlock).roots === 'strict';
  if (capabilities.trace !== 'none' || !capabilities.hasLogs || traits.stack === 'bor' || !isStrict)
    return undefined;
  const own = new Set(addresses.map((address) => address.toLowerCase()));
  const toBlock = Math.min(wanted, fromBlock + PAGE_BLOCKS - 1);
  const logged = await findLogBlocks(session, { addresses: own, range: { fromBlock, toBlock }, signal });
  if (logged === undefined) return undefined;
  const refs: BlockRef[] = [];
  let parentHash: string | undefined;
  for (let from = fromBlock; from <= toBlock; from += BODIES_AT_ONCE) {
    for (const block of await readBodies(session, {
      from,
      to: Math.min(toBlock, from + BODIES_AT_ONCE - 1),
      signal,
    })) {
      const ref = { number: Number(block.number), hash: block.hash };
      if (parentHash !== undefined && block.parentHash !== parentHash)
        throw new ChainClientError(
          `block ${ref.number}: expected parent ${parentHash}, got ${block.parentHash}`,
        );
      parentHash = block.hash;
      const told = logged.get(ref.number);
      if (told !== undefined && told !== '' && told !== block.hash)
        throw new ChainClientError(`logs of block ${ref.number}: expected hash ${block.hash}, got ${told}`);
      if (told !== undefined || (await concerns(session, { ref, block, own }))) refs.push(ref);
    }
  }
  return { refs, toBlock };
}

async function readBodies(
  { transport }: Session,
  { from, to, signal }: { readonly from: number; readonly to: number; readonly signal?: AbortSignal },
): Promise<RawBlock[]> {
  const numbers = Array.from({ length: to - from + 1 }, (_, position) => from + position);
  const calls = numbers.map((number) => ({
    method: 'eth_getBlockByNumber',
    params: [`0x${number.toString(16)}`, true],
  }));
  return (await transport.callMany(calls, signal)).map((answer, position) => {
    const result = unwrap(answer);
    if (result === null) throw new BlockNotFoundError(`block ${numbers[position]} is not known to the node`);
    return parseRawBlock(result);
  });
}

/** Whether a body, proved to be the block's, has a transaction of an address; also true where not all of it is known. */
async function concerns(
  { traits: ofNetwork }: Session,
  {
    ref,
    block,
    own,
  }: { readonly ref: BlockRef; readonly block: RawBlock; readonly own: ReadonlySet<string> },
): Promise<boolean> {
  const traits = traitsAt(ofNetwork, ref.number);
  if (verifyHeaderOf(ref, block, traits).length > 0) return true;
  const parts = new UnknownParts([]);
  const { unknown, missing } = await verifyTransactions(block, block.transactions, {
    traits,
    encodings: new Map(),
    parts,
  });
  if (unknown.size > 0 || missing.length > 0) return true;
  // A contract's address is not in the transaction that creates it.
  return block.transactions.some(
    ({ from, to }) => own.has(from.toLowerCase()) || typeof to !== 'string' || own.has(to.toLowerCase()),
  );
}
