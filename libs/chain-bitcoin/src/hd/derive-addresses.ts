// SPDX-License-Identifier: Apache-2.0
import { base58 } from '@scure/base';
import type { DerivationRequest, DerivedAddress, Network } from '@chainwatch/chain-core';
import { toLibraryNetwork } from '../library-network.ts';
import { bitcoinCatalogue, readTraits } from '../networks.ts';
import { parseAddress } from '../parse-address.ts';
import { findAddress, matchKeyOf } from '../script-address.ts';
import { DerivationPool } from './derivation-pool.ts';
import type { HdFormat } from './derivation-task.ts';

const ADDRESSES_MAX = 1_000;
const INDEX_MAX = 2 ** 31 - 1;
/** Beside the sources a TypeScript file, beside a bundle its own entry point (tools/stack/bundle.mjs). */
const file = import.meta.url.endsWith('.ts') ? './source.worker.mjs' : './derivation.worker.mjs';
const THREADS = 2;
const pool = new DerivationPool({ filename: new URL(file, import.meta.url).href, threads: THREADS });
/** From this many addresses on, a request is shared among the threads. */
const SHARED_MIN = 100;

/** `HdDerivation.deriveAddresses` for Bitcoin. */
export async function deriveAddresses(
  request: DerivationRequest,
  signal?: AbortSignal,
): Promise<DerivedAddress[]> {
  const { extendedPublicKey, change, indexes } = request;
  checkIndexes(change, indexes);
  if (indexes.length === 0) return [];
  const format = checkFormat(request.addressFormat);
  const network = readNetwork(request.networkGid, format);
  const keyVersion = readVersion(extendedPublicKey);
  const size = indexes.length > SHARED_MIN ? Math.ceil(indexes.length / THREADS) : indexes.length;
  const parts = Array.from({ length: THREADS }, (_, position) =>
    indexes.slice(position * size, (position + 1) * size),
  ).filter((part) => part.length > 0);
  const derived = await Promise.all(
    parts.map((part) =>
      pool.derive(
        {
          ...{ extendedPublicKey, keyVersion, change, indexes: part, format },
          network: toLibraryNetwork(network),
        },
        signal,
      ),
    ),
  );
  const addresses = derived.flat().map((address) => writeOn(network, address));
  // The networks that write this format the same way: test networks share most of their prefixes.
  const { networkGids } = parseAddress(addresses[0]!);
  return addresses.map((address, position) => ({
    index: indexes[position]!,
    address: { canonical: address, display: address, format, networkGids },
  }));
}

/** `HdDerivation.start` for Bitcoin. */
export function startDeriving(): void {
  pool.start();
}

function readNetwork(networkGid: string, format: HdFormat): Network {
  const network = bitcoinCatalogue.networks.find(({ gid }) => gid === networkGid);
  if (network === undefined) throw new Error(`expected a network of this family, got ${networkGid}`);
  if (format !== 'p2pkh' && readTraits(network).segwitHeight === undefined)
    throw new Error(`expected the format p2pkh on ${networkGid}, which has no segwit, got ${format}`);
  return network;
}

function readVersion(extendedPublicKey: string): number {
  return Buffer.from(base58.decode(extendedPublicKey).subarray(0, 4)).readUInt32BE();
}

/** The library knows no CashAddr. */
function writeOn(network: Network, address: string): string {
  if (readTraits(network).cashAddrPrefix === undefined) return address;
  return findAddress(network, matchKeyOf(address))!;
}

function checkIndexes(change: number, indexes: readonly number[]): void {
  if (change !== 0 && change !== 1) throw new RangeError(`expected change 0 or 1, got ${change}`);
  if (indexes.length > ADDRESSES_MAX)
    throw new RangeError(`expected at most ${ADDRESSES_MAX} indexes, got ${indexes.length}`);
  const wrong = indexes.find((index) => !Number.isInteger(index) || index < 0 || index > INDEX_MAX);
  if (wrong !== undefined) throw new RangeError(`expected indexes from 0 to ${INDEX_MAX}, got ${wrong}`);
}

function checkFormat(format: string): HdFormat {
  if (format === 'p2pkh' || format === 'p2sh-p2wpkh' || format === 'p2wpkh' || format === 'p2tr')
    return format;
  throw new Error(`expected the format p2pkh, p2sh-p2wpkh, p2wpkh or p2tr, got ${format}`);
}
