import { createWriteStream, existsSync, mkdirSync, renameSync } from 'node:fs';
import { once } from 'node:events';
import { dirname } from 'node:path';
import type { Hex } from 'viem';
import { TransferChain } from './transfer-chain.ts';

export interface RecordingSpec {
  readonly file: string;
  readonly blocks: number;
  readonly transactionsPerBlock: number;
  /** Addresses that the transfers go to, in turn. */
  readonly recipients: readonly string[];
}

/** Records blocks and receipts of an anvil chain as it sent them, half token and half native transfers; kept between runs. */
export async function record(spec: RecordingSpec): Promise<void> {
  if (existsSync(spec.file)) return;
  mkdirSync(dirname(spec.file), { recursive: true });
  const chain = await TransferChain.open();
  const { anvil } = chain;
  const first = await anvil.blockNumber();
  const output = createWriteStream(`${spec.file}.part`);
  let turn = 0;
  for (let number = 0; number <= first + spec.blocks; number += 1) {
    if (number > first) {
      await chain.send(Array.from({ length: spec.transactionsPerBlock }, () => spec.recipients[turn++ % spec.recipients.length]!));
      await anvil.mine();
    }
    const tag = `0x${number.toString(16)}`;
    const [header, full, receipts] = await Promise.all([
      anvil.rpc<{ hash: Hex }>('eth_getBlockByNumber', [tag, false]),
      anvil.rpc<{ transactions: unknown[] }>('eth_getBlockByNumber', [tag, true]),
      anvil.rpc<unknown[]>('eth_getBlockReceipts', [tag]),
    ]);
    if (number > first && full.transactions.length !== spec.transactionsPerBlock) throw new Error(`expected ${spec.transactionsPerBlock} transactions in block ${number}, got ${full.transactions.length}`);
    const line = `${JSON.stringify([number, header.hash])}\t${JSON.stringify(header)}\t${JSON.stringify(full)}\t${JSON.stringify(receipts)}\n`;
    if (!output.write(line)) await once(output, 'drain');
  }
  output.end();
  await once(output, 'finish');
  renameSync(`${spec.file}.part`, spec.file);
  await anvil.stop();
}
