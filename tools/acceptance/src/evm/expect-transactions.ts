// SPDX-License-Identifier: Apache-2.0
import type { Hex } from 'viem';
import type { ExpectedTransaction } from '../test-chain.ts';
import type { NodeRpc } from './chain-actor.ts';

interface RpcBlock {
  number: Hex;
  hash: Hex;
  transactions: { hash: Hex; from: Hex; to: Hex | null; value: Hex }[];
}
interface RpcReceipt {
  transactionHash: Hex;
  status: Hex;
  contractAddress: Hex | null;
  logs: { address: Hex; topics: Hex[]; data: Hex }[];
}
interface CallFrame {
  type: string;
  from: Hex;
  to?: Hex;
  value?: Hex;
  error?: string;
  calls?: CallFrame[];
}

const TRANSFER = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';

/**
 * Reads the canonical chain with the node's plainest calls (single receipts, one callTracer trace a transaction) and
 * says which transactions a watcher of `watched` (address → first block that counts) must have. Shares no code with the
 * service: it is the oracle.
 */
export async function expectTransactions(
  rpc: NodeRpc,
  {
    chainGid,
    watched,
    from,
    to,
  }: {
    readonly chainGid: string;
    readonly watched: ReadonlyMap<string, number>;
    readonly from: number;
    readonly to: number;
  },
): Promise<Map<string, ExpectedTransaction>> {
  const expected = new Map<string, ExpectedTransaction>();
  for (let number = from; number <= to; number += 1) {
    const block = await rpc<RpcBlock>('eth_getBlockByNumber', [`0x${number.toString(16)}`, true]);
    const counts = (address: Hex | null | undefined): boolean => {
      const first =
        address === null || address === undefined ? undefined : watched.get(address.toLowerCase());
      return first !== undefined && number >= first;
    };
    for (const tx of block.transactions) {
      const receipt = await rpc<RpcReceipt>('eth_getTransactionReceipt', [tx.hash]);
      const isFailed = receipt.status !== '0x1';
      const moved = isFailed
        ? []
        : [
            ...listMoves(tx, receipt),
            ...listInnerMoves(
              await rpc<CallFrame>('debug_traceTransaction', [tx.hash, { tracer: 'callTracer' }]),
            ),
          ];
      const transfers = moved
        .filter(({ source, target }) => counts(source) || counts(target))
        .map(({ type, asset, source, target, amount }) =>
          `${type} ${chainGid}/${asset} ${source} ${target} ${amount}`.toLowerCase(),
        );
      if (transfers.length > 0 || counts(tx.from)) {
        expected.set(tx.hash, {
          hash: tx.hash,
          blockNumber: number,
          blockHash: block.hash,
          isFailed,
          transfers: transfers.sort(),
        });
      }
    }
  }
  return expected;
}

interface Move {
  readonly type: 'native' | 'token' | 'internal';
  readonly asset: string;
  readonly source: Hex;
  readonly target: Hex;
  readonly amount: bigint;
}

function listMoves(tx: RpcBlock['transactions'][number], receipt: RpcReceipt): Move[] {
  const target = tx.to ?? receipt.contractAddress;
  const amount = BigInt(tx.value);
  const native: Move[] =
    amount > 0n && target !== null
      ? [{ type: 'native', asset: 'slip44:60', source: tx.from, target, amount }]
      : [];
  const tokens = receipt.logs
    .filter(({ topics, data }) => topics[0] === TRANSFER && topics.length === 3 && data.length === 66)
    .map(
      ({ address, topics, data }): Move => ({
        type: 'token',
        asset: `erc20:${address}`,
        source: `0x${topics[1]!.slice(26)}`,
        target: `0x${topics[2]!.slice(26)}`,
        amount: BigInt(data),
      }),
    );
  return [...native, ...tokens];
}

function listInnerMoves(trace: CallFrame): Move[] {
  return innerFrames(trace).flatMap(({ type, from: source, to: target, value = '0x0' }): Move[] =>
    target && BigInt(value) > 0n && ['CALL', 'CREATE', 'CREATE2', 'SELFDESTRUCT'].includes(type)
      ? [{ type: 'internal', asset: 'slip44:60', source, target, amount: BigInt(value) }]
      : [],
  );
}

function innerFrames(frame: CallFrame): CallFrame[] {
  return (frame.calls ?? []).flatMap((inner) =>
    inner.error === undefined ? [inner, ...innerFrames(inner)] : [],
  );
}
