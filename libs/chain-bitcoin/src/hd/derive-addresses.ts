import type { DerivationRequest, DerivedAddress } from '@chainwatch/chain-core';
import { base58Versions, segwitPrefixes } from '../address-prefixes.ts';
import { bitcoinNetworks, readTraits } from '../networks.ts';
import { decodeExtendedKey } from './decode-extended-key.ts';
import type { ExtendedKey } from './decode-extended-key.ts';
import { DerivationPool } from './derivation-pool.ts';
import type { AddressPrefixes, HdFormat } from './encode-addresses.ts';
import { startWorker } from './start-worker.ts';

const addressesMax = 1_000;
const indexMax = 2 ** 31 - 1;
const pool = new DerivationPool({ startWorker });

/** `HdDerivation.deriveAddresses` for Bitcoin. */
export async function deriveAddresses(
  request: DerivationRequest,
  signal?: AbortSignal,
): Promise<DerivedAddress[]> {
  const { change, indexes } = request;
  checkIndexes(change, indexes);
  if (indexes.length === 0) return [];
  const format = checkFormat(request.addressFormat);
  const { publicKey, chainCode } = readKey(request.extendedPublicKey);
  const prefixes = readPrefixes(request.networkGid);
  const addresses = await pool.derive({ publicKey, chainCode, change, indexes, format, prefixes }, signal);
  const networkGids = listSharing(format, prefixes);
  return addresses.map((address, position) => ({
    index: indexes[position]!,
    address: { canonical: address, display: address, format, networkGids },
  }));
}

/** Keys that were read lately: checking that a point is on the curve takes a square root. */
const keys = new Map<string, ExtendedKey>();
const keysMax = 512;

function readKey(extendedPublicKey: string): ExtendedKey {
  const known = keys.get(extendedPublicKey);
  if (known !== undefined) return known;
  const key = decodeExtendedKey(extendedPublicKey);
  keys.set(extendedPublicKey, key);
  if (keys.size > keysMax) keys.delete(keys.keys().next().value!);
  return key;
}

function readPrefixes(networkGid: string): AddressPrefixes {
  const network = bitcoinNetworks.find(({ gid }) => gid === networkGid);
  if (network === undefined) throw new Error(`expected a Bitcoin network, got ${networkGid}`);
  const { base58, bech32Hrp } = readTraits(network);
  return { ...base58, bech32Hrp };
}

/** The networks that write this format the same way: test networks share most of their prefixes. */
function listSharing(
  format: HdFormat,
  { p2pkh, p2sh, bech32Hrp }: AddressPrefixes,
): readonly string[] | undefined {
  if (format === 'p2pkh') return base58Versions.get(p2pkh)?.networkGids;
  return format === 'p2sh-p2wpkh' ? base58Versions.get(p2sh)?.networkGids : segwitPrefixes.get(bech32Hrp);
}

function checkIndexes(change: number, indexes: readonly number[]): void {
  if (change !== 0 && change !== 1) throw new RangeError(`expected change 0 or 1, got ${change}`);
  if (indexes.length > addressesMax)
    throw new RangeError(`expected at most ${addressesMax} indexes, got ${indexes.length}`);
  const wrong = indexes.find((index) => !Number.isInteger(index) || index < 0 || index > indexMax);
  if (wrong !== undefined) throw new RangeError(`expected indexes from 0 to ${indexMax}, got ${wrong}`);
}

function checkFormat(format: string): HdFormat {
  if (format === 'p2pkh' || format === 'p2sh-p2wpkh' || format === 'p2wpkh' || format === 'p2tr')
    return format;
  throw new Error(`expected the format p2pkh, p2sh-p2wpkh, p2wpkh or p2tr, got ${format}`);
}
