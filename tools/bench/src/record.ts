import { createWriteStream, existsSync, mkdirSync, renameSync } from 'node:fs';
import { once } from 'node:events';
import { dirname } from 'node:path';
import { encodeFunctionData, type Abi, type Hex } from 'viem';
import { contracts } from '../../devnet/evm/contracts.ts';
import { startAnvil } from '@chainwatch/testing';

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
  const anvil = await startAnvil({ args: ['--no-mining', '--gas-limit', '1000000000', '--order', 'fifo', '--accounts', '50', '--balance', '1000000'] });
  const accounts = await anvil.rpc<Hex[]>('eth_accounts', []);
  const { abi, bytecode } = contracts.TestToken;
  const deployed = await anvil.rpc<Hex>('eth_sendTransaction', [{ from: accounts[0], data: bytecode, gas: '0x2dc6c0' }]);
  await anvil.rpc('anvil_mine', ['0x1']);
  const token = (await anvil.rpc<{ contractAddress: Hex }>('eth_getTransactionReceipt', [deployed])).contractAddress;
  for (const account of accounts) await send(anvil.rpc, account, token, encode(abi as Abi, 'mint', [account, 10n ** 30n]));
  await anvil.rpc('anvil_mine', ['0x1']);
  const first = Number(await anvil.rpc<Hex>('eth_blockNumber', []));

  const nonces = new NonceBook(anvil.rpc);
  await Promise.all(accounts.map((account) => nonces.know(account)));
  const output = createWriteStream(`${spec.file}.part`);
  let turn = 0;
  for (let number = 0; number <= first + spec.blocks; number += 1) {
    if (number > first) {
      const calls: Promise<unknown>[] = [];
      for (let index = 0; index < spec.transactionsPerBlock; index += 1) {
        const to = spec.recipients[turn++ % spec.recipients.length] as Hex;
        const from = accounts[index % accounts.length]!;
        const nonce = nonces.take(from);
        calls.push(index % 2 === 0 ? send(anvil.rpc, from, token, encode(abi as Abi, 'transfer', [to, 1_000n + BigInt(turn)]), 0n, nonce) : send(anvil.rpc, from, to, undefined, 1_000n + BigInt(turn), nonce));
      }
      await Promise.all(calls);
      await anvil.rpc('anvil_mine', ['0x1']);
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

const encode = (abi: Abi, functionName: string, args: readonly unknown[]): Hex => encodeFunctionData({ abi, functionName, args });

type Rpc = <T>(method: string, params: readonly unknown[]) => Promise<T>;

/** Nonces of many transactions under way at once: the node would give two the same one. */
export class NonceBook {
  readonly #rpc: Rpc;
  readonly #next = new Map<Hex, number>();
  constructor(rpc: Rpc) {
    this.#rpc = rpc;
  }
  /** Asks the node where an account stands. Before `take`. */
  async know(account: Hex): Promise<void> {
    this.#next.set(account, Number(await this.#rpc<Hex>('eth_getTransactionCount', [account, 'pending'])));
  }
  take(account: Hex): number {
    const nonce = this.#next.get(account)!;
    this.#next.set(account, nonce + 1);
    return nonce;
  }
}

function send(rpc: Rpc, from: Hex, to: Hex, data?: Hex, value = 0n, nonce?: number): Promise<Hex> {
  const call = { from, to, data, value: `0x${value.toString(16)}`, gas: '0x186a0', gasPrice: '0x77359400', ...(nonce === undefined ? {} : { nonce: `0x${nonce.toString(16)}` }) };
  return rpc<Hex>('eth_sendTransaction', [call]);
}
