// SPDX-License-Identifier: Apache-2.0
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { nativeOf, type Network, type Transaction } from '@chainwatch/chain-core';
import { solanaNetworks } from './networks.ts';
import { quoteLargeBalances } from './rpc-client.ts';
import type { RawBlock, RawTransaction } from './raw-block.ts';

// Recorded blocks and transactions, beside the repository: ../shared/fixtures/solana (see fixtures.md).
const folder = new URL('../../../../shared/fixtures/solana/', import.meta.url);

const hasFixtures = existsSync(folder);
if (!hasFixtures) console.log('skipped: recorded Solana blocks (../shared/fixtures/solana is absent)');

/** Without them the body, which reads them, is not run. */
export const describeFixtures: (name: string, body: () => void) => void = hasFixtures
  ? describe
  : (name) => describe.skip(name, () => it('needs recorded data', () => undefined));
const files = hasFixtures ? readdirSync(folder) : [];

/** What an independent parser found in a transaction. */
export interface ExpectedTransaction {
  readonly signature: string;
  readonly failed: boolean;
  readonly fee: number;
  readonly feePayer: string;
  readonly solDeltas: Readonly<Record<string, string>>;
  readonly tokenDeltas: readonly { readonly owner: string; readonly mint: string; readonly delta: string }[];
}

/** Blocks with all their transactions, and blocks of which only some were kept. */
export const wholeBlocks = files.filter((file) => /^devnet-\d+\.getBlock/.test(file));
export const trimmedBlocks = files.filter((file) => /^mainnet-.*\.getBlock\.json$/.test(file));
export const singleTransactions = files.filter(
  (file) =>
    existsSync(new URL(expectedFile(file), folder)) &&
    /getTransaction\.json$|^pumpfun-raw.*gettransaction\.json$/.test(file),
);

export const devnet: Network = solanaNetworks.find(({ name }) => name === 'solana-devnet')!;
export const mainnet: Network = solanaNetworks.find(({ name }) => name === 'solana')!;

export type RecordedBlock = RawBlock & { readonly transactions: readonly RawTransaction[] };

export function readRecordedBlock(file: string): RecordedBlock {
  return resultOf(file) as RecordedBlock;
}

export function readRecordedTransaction(file: string): RawTransaction {
  return resultOf(file) as RawTransaction;
}

export function readExpected(file: string): readonly ExpectedTransaction[] {
  const name = expectedFile(file);
  const path = existsSync(new URL(name, folder)) ? name : `${name}.gz`;
  return (JSON.parse(readText(path)) as { transactions: ExpectedTransaction[] }).transactions;
}

export function slotOf(file: string): number {
  return Number(/-(\d{6,})/.exec(file)![1]);
}

/** What a decoded transaction did to each address, in the form of the expectations. */
export function deltasOf(
  transaction: Transaction,
  network: Network,
): Pick<ExpectedTransaction, 'solDeltas'> & { readonly tokens: Readonly<Record<string, string>> } {
  const sums = new Map<string, bigint>();
  const add = (address: string | undefined, assetGid: string, amount: bigint): void => {
    if (address !== undefined)
      sums.set(`${address} ${assetGid}`, (sums.get(`${address} ${assetGid}`) ?? 0n) + amount);
  };
  for (const { from, to, assetGid, amountRaw } of transaction.transfers) {
    add(from, assetGid, -amountRaw);
    add(to, assetGid, amountRaw);
  }
  add(transaction.fee!.payer, transaction.fee!.assetGid, -transaction.fee!.amountRaw);
  const entries = [...sums]
    .filter(([, sum]) => sum !== 0n)
    .map(([key, sum]) => [...key.split(' '), String(sum)] as [string, string, string]);
  return {
    solDeltas: Object.fromEntries(
      entries.filter(([, gid]) => gid === nativeOf(network).gid).map(([address, , sum]) => [address, sum]),
    ),
    tokens: Object.fromEntries(
      entries
        .filter(([, gid]) => gid !== nativeOf(network).gid)
        .map(([address, gid, sum]) => [`${address} ${gid.split(':').at(-1)}`, sum]),
    ),
  };
}

function resultOf(file: string): unknown {
  const body = JSON.parse(quoteLargeBalances(readText(file))) as { result?: unknown };
  return body.result ?? body;
}

function expectedFile(file: string): string {
  return file
    .replace(/\.get(Block|Transaction)[^.]*\.json(\.gz)?$/, '.expected.json')
    .replace(/gettransaction\.json$/, 'gettransaction.expected.json');
}

function readText(file: string): string {
  const bytes = readFileSync(new URL(file, folder));
  return (file.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString('utf8');
}
