// SPDX-License-Identifier: Apache-2.0
import { createFailoverClient, type Block, type ChainFamily, type Network } from '@chainwatch/chain-core';
import { findFamily, findNetwork } from '@chainwatch/chain-registry';
import { startAnvil, type AnvilHandle } from '@chainwatch/testing';
import { contracts } from '@chainwatch/tool-devnet/evm';
import type { ChangeAnswer } from './spec-proxy.ts';

type Json = Record<string, unknown>;
export type RawLog = Json & { address: string; topics: string[]; data: string };
type RawReceipt = Json & { transactionHash: string; cumulativeGasUsed: string; logs: RawLog[] };
type RawTransaction = Json & { hash: string; type?: string };

/** All that a node tells of the block that is lied about. */
export interface Story {
  readonly block: Json & { transactions: RawTransaction[] };
  readonly receipts: RawReceipt[];
  /** In Parity's form. */
  readonly traces: Json[];
  /** Encodings of transactions by their hash. */
  raws: Record<string, string>;
}

/** Without impersonation: as on any public chain, the hash and the sender of a transaction are proved. */
export const network: Network = { ...findNetwork('eip155:31337')!, traits: { stack: 'ethereum' } };

/** Of the transactions in the block that is lied about. */
export const PLACE = { sent: 0, received: 1, minted: 2, failed: 3, forwarded: 4, strange: 5 } as const;
export const BOB = `0x${'b0'.repeat(20)}`;
/** Takes part in nothing. */
export const VICTIM = `0x${'d1'.repeat(20)}`;
export const STRANGER = `0x${'e5'.repeat(20)}`;

/** A local chain: two blocks of contracts, the block that is lied about, and one after it. */
export interface Scene {
  readonly anvil: AnvilHandle;
  readonly family: ChainFamily;
  readonly alice: string;
  readonly token: string;
  readonly blocks: readonly Block[];
  readonly told: Block;
  readonly story: Story;
}

const word = (hex: string): string => hex.replace('0x', '').padStart(64, '0');

export async function playScene(): Promise<Scene> {
  const anvil = await startAnvil({ args: ['--no-mining', '--order', 'fifo'] });
  const family = (await findFamily('eip155'))!;
  const [stranger, alice] = (await anvil.rpc<string[]>('eth_accounts')) as [string, string];
  const send = (tx: object) =>
    anvil.rpc<string>('eth_sendTransaction', [{ from: stranger, gas: '0x2dc6c0', ...tx }]);
  // One after another: anvil gives two of one sender the same nonce at times.
  const created = [
    await send({ data: contracts.TestToken.bytecode }),
    await send({ data: contracts.Forwarder.bytecode }),
  ];
  await anvil.mine();
  const [token, forwarder] = (await Promise.all(
    created.map(async (hash) => {
      const receipt = await anvil.rpc<{ contractAddress: string }>('eth_getTransactionReceipt', [hash]);
      return receipt.contractAddress;
    }),
  )) as [string, string];
  const mint = (to: string, amount: string) => ({
    to: token,
    data: `0x40c10f19${word(to)}${word(amount)}`,
  });
  // forward(address)
  const forward = (to: string, value: string) => ({ to: forwarder, value, data: `0x101e8952${word(to)}` });
  await send(mint(alice, '0x9'));
  await anvil.mine();
  for (const tx of [
    { from: alice, to: STRANGER, value: '0x7' },
    { to: BOB, value: '0x5' },
    mint(BOB, '0x5'),
    { to: token, value: '0x9', data: '0x01020304' },
    forward(BOB, '0xb'),
    { to: STRANGER, value: '0x3' },
  ])
    await send(tx);
  await anvil.mine();
  await send({ to: BOB, value: '0x6' });
  await anvil.mine();
  const client = createFailoverClient([family.createClient({ network, endpointUrl: anvil.url })]);
  const headers = await client.readHeaders(1, 4);
  const blocks = await Promise.all(headers.map((header) => client.readBlock(header)));
  client.close();
  const told = blocks[2]!;
  return { anvil, family, alice, token: token.toLowerCase(), blocks, told, story: await hear(anvil, told) };
}

async function hear(anvil: AnvilHandle, { hash, number }: Block): Promise<Story> {
  const block = await anvil.rpc<Story['block']>('eth_getBlockByHash', [hash, true]);
  const raws = await Promise.all(
    block.transactions.map(async (tx) => [
      tx.hash,
      await anvil.rpc<string>('eth_getRawTransactionByHash', [tx.hash]),
    ]),
  );
  return {
    block,
    receipts: await anvil.rpc('eth_getBlockReceipts', [hash]),
    traces: await anvil.rpc('trace_block', [`0x${number.toString(16)}`]),
    raws: Object.fromEntries(raws) as Story['raws'],
  };
}

/** What a node answers that tells `story` of its block, and the truth of the others. */
export function tellStory({ block, receipts, traces, raws }: Story): ChangeAnswer {
  const { number, hash } = block as unknown as { number: string; hash: string };
  return ({ method, params }, result) => {
    const [of] = params;
    if (/getRawTransaction/.test(method)) return raws[of as string] ?? null;
    if (method === 'eth_getTransactionReceipt')
      return receipts.find(({ transactionHash }) => transactionHash === of) ?? result;
    if (of !== number && of !== hash) return result;
    if (method === 'eth_getBlockReceipts') return structuredClone(receipts);
    if (method === 'trace_block') return structuredClone(traces);
    if (!method.startsWith('eth_getBlockBy')) return result;
    const transactions = params[1] === true ? block.transactions : block.transactions.map((tx) => tx.hash);
    return structuredClone({ ...block, transactions });
  };
}
