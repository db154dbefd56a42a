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
  chainGid: string,
  watched: ReadonlyMap<string, number>,
  from: number,
  to: number,
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
      const transfers: string[] = [];
      const note = (type: string, asset: string, source: Hex, target: Hex, amount: bigint): void => {
        if (counts(source) || counts(target))
          transfers.push(`${type} ${chainGid}/${asset} ${source} ${target} ${amount}`.toLowerCase());
      };
      if (!isFailed) {
        const target = tx.to ?? receipt.contractAddress;
        if (BigInt(tx.value) > 0n && target !== null)
          note('native', 'slip44:60', tx.from, target, BigInt(tx.value));
        for (const log of receipt.logs) {
          if (log.topics[0] !== TRANSFER || log.topics.length !== 3 || log.data.length !== 66) continue;
          note(
            'token',
            `erc20:${log.address}`,
            `0x${log.topics[1]!.slice(26)}`,
            `0x${log.topics[2]!.slice(26)}`,
            BigInt(log.data),
          );
        }
        const trace = await rpc<CallFrame>('debug_traceTransaction', [tx.hash, { tracer: 'callTracer' }]);
        for (const frame of innerFrames(trace)) {
          if (
            frame.to &&
            BigInt(frame.value ?? '0x0') > 0n &&
            ['CALL', 'CREATE', 'CREATE2', 'SELFDESTRUCT'].includes(frame.type)
          ) {
            note('internal', 'slip44:60', frame.from, frame.to, BigInt(frame.value ?? '0x0'));
          }
        }
      }
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

function innerFrames(frame: CallFrame): CallFrame[] {
  return (frame.calls ?? []).flatMap((inner) =>
    inner.error === undefined ? [inner, ...innerFrames(inner)] : [],
  );
}
