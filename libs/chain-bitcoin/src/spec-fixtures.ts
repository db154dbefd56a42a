// SPDX-License-Identifier: Apache-2.0
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import type { BlockRef, Network } from '@chainwatch/chain-core';
import { bitcoinNetworks } from './networks.ts';

// Recorded blocks, beside the repository: ../shared/fixtures/bitcoin (see fixtures.md).
const folder = new URL('../../../../shared/fixtures/bitcoin/', import.meta.url);

const hasFixtures = existsSync(folder);
if (!hasFixtures) console.log('skipped: recorded Bitcoin blocks (../shared/fixtures/bitcoin is absent)');

/** Without them the body, which reads them, is not run. */
export const describeFixtures: (name: string, body: () => void) => void = hasFixtures
  ? describe
  : (name) => describe.skip(name, () => it('needs recorded data', () => undefined));

/** What an independent parser found in a block. */
export interface ExpectedBlock {
  readonly summary: {
    readonly hash: string;
    readonly prev: string;
    readonly time: number;
    readonly ntx: number;
    readonly size: number;
    readonly height_bip34: number | null;
    readonly witness_commitment_ok: boolean | null;
  };
  readonly txids: readonly string[];
  readonly outputs: readonly (readonly [
    txid: string,
    vout: number,
    type: string,
    address: string | null,
    satoshis: number,
  ])[];
  readonly inputs: readonly (readonly [txid: string, creator: string, vout: number])[];
}

export interface RecordedBlock {
  readonly name: string;
  readonly network: Network;
  readonly ref: BlockRef;
  readonly bytes: Buffer;
  readonly expected: ExpectedBlock;
}

/** Names of every block with raw bytes and expectations. */
export const blockNames = hasFixtures
  ? readdirSync(folder)
      .filter((file) => file.endsWith('.expected.json.gz'))
      .map((file) => file.slice(0, -'.expected.json.gz'.length))
  : [];

export function networkNamed(name: string): Network {
  const network = bitcoinNetworks.find((candidate) => candidate.name === name);
  if (network === undefined) throw new Error(`no network ${name}`);
  return network;
}

export function readBlockFixture(name: string): RecordedBlock {
  const expected = readJson<ExpectedBlock>(`${name}.expected.json.gz`);
  const networkName = name.startsWith('mainnet')
    ? 'bitcoin'
    : name.startsWith('testnet3')
      ? 'bitcoin-testnet'
      : 'bitcoin-signet';
  const number = expected.summary.height_bip34 ?? Number(/-(\d+)$/.exec(name)?.[1] ?? 0);
  return {
    name,
    network: networkNamed(networkName),
    ref: { number, hash: expected.summary.hash },
    bytes: readBytes(name),
    expected,
  };
}

/** A JSON file of the fixtures, gzip or not. */
export function readJson<T>(file: string): T {
  const bytes = readFileSync(new URL(file, folder));
  return JSON.parse((file.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString('utf8')) as T;
}

/** The lines of a JSON-lines file. */
export function readJsonLines<T>(file: string): T[] {
  const lines = readFileSync(new URL(file, folder), 'utf8').split('\n');
  return lines.filter((line) => line.trim() !== '').map((line) => JSON.parse(line) as T);
}

export function listFixtures(path: string): string[] {
  const url = new URL(path, folder);
  return existsSync(url) ? readdirSync(url).map((file) => `${path}${file}`) : [];
}

function readBytes(name: string): Buffer {
  if (existsSync(new URL(`${name}.raw`, folder))) return readFileSync(new URL(`${name}.raw`, folder));
  if (existsSync(new URL(`${name}.hex`, folder)))
    return Buffer.from(readFileSync(new URL(`${name}.hex`, folder), 'utf8').trim(), 'hex');
  return Buffer.from(readJson<{ block: string }>(`${name}.electrumx.json`).block, 'hex');
}
