// SPDX-License-Identifier: Apache-2.0
import {
  bloomOf,
  bytesOf,
  encodeReceipt,
  keccak,
  rootOf,
  type ChainLog,
  type Hex,
} from '@chainwatch/tool-devnet/settled-chain';
import { PLACE, STRANGER, type RawLog, type Scene, type Story } from './spec-evm-scene.ts';

// What a lying node makes up of a block, as good as it can be made.

const TRANSFER = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';
export const word = (hex: string): string => `0x${hex.replace('0x', '').padStart(64, '0')}`;
const MADE_UP = `0x7d${'c5'.repeat(100)}` as const;

export function addLog(story: Story, { token }: Scene, { from, to }: { from: string; to: string }): void {
  const { logs, ...receipt } = story.receipts[PLACE.strange]!;
  const like = story.receipts[PLACE.minted]!.logs[0]!;
  const log: RawLog = {
    ...like,
    address: token,
    topics: [TRANSFER, word(from), word(to)],
    data: word('0x50'),
    transactionHash: receipt.transactionHash,
    transactionIndex: `0x${PLACE.strange}`,
  };
  logs.push(log);
}

/** A transaction of a type that nobody knows, at the end of the block. */
export function addTransaction(
  { block, receipts, traces, raws }: Story,
  { alice }: Scene,
  hasRaw: boolean,
): void {
  const [tx, receipt] = [block.transactions.at(-1)!, receipts.at(-1)!];
  const hash = keccak(bytesOf(MADE_UP));
  const transactionIndex = `0x${receipts.length.toString(16)}`;
  const own = { hash, type: '0x7d', from: alice, to: STRANGER, value: '0x50', transactionIndex };
  block.transactions.push({ ...tx, ...own });
  receipts.push({
    ...receipt,
    from: alice,
    type: '0x7d',
    transactionHash: hash,
    transactionIndex,
    logs: [],
    logsBloom: bloomOf([]),
    cumulativeGasUsed: `0x${(Number(receipt.cumulativeGasUsed) + Number(receipt['gasUsed'])).toString(16)}`,
  });
  traces.push({ ...traces.at(-1)!, transactionHash: hash, transactionPosition: receipts.length - 1 });
  if (hasRaw) raws[hash] = MADE_UP;
}

/** A member that no release knows, so that the header's hash cannot be computed, and roots to what is told. */
export async function recompute({ block, receipts, raws }: Story): Promise<void> {
  for (const receipt of receipts) receipt['logsBloom'] = bloomOf(receipt.logs as unknown as ChainLog[]);
  Object.assign(block, {
    beyond: '0x1',
    transactionsRoot: await rootOf(block.transactions.map(({ hash }) => bytesOf(raws[hash] as Hex))),
    receiptsRoot: await rootOf(
      receipts.map((receipt, index) =>
        encodeReceipt({
          type: Number(block.transactions[index]!.type ?? 0),
          isFailed: receipt['status'] === '0x0',
          cumulativeGasUsed: Number(receipt.cumulativeGasUsed),
          logs: receipt.logs as unknown as ChainLog[],
        }),
      ),
    ),
    logsBloom: bloomOf(receipts.flatMap(({ logs }) => logs) as unknown as ChainLog[]),
  });
}

/** A movement inside of a transaction, which stands in no root. */
export function addMove(
  { traces, block }: Story,
  place: number,
  { from, to }: { from: string; to: string },
): void {
  const { hash } = block.transactions[place]!;
  const at = traces.findLastIndex(({ transactionHash }) => transactionHash === hash);
  const top = traces.find(({ transactionHash }) => transactionHash === hash)!;
  top['subtraces'] = Number(top['subtraces']) + 1;
  traces.splice(at + 1, 0, {
    ...top,
    type: 'call',
    action: { callType: 'call', from, to, value: '0x50', gas: '0x0', input: '0x' },
    result: { gasUsed: '0x0', output: '0x' },
    subtraces: 0,
    traceAddress: [Number(top['subtraces']) - 1],
  });
}
