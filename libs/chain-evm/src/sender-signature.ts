import type { SenderSignature } from '@chainwatch/chain-core';
import { recover } from 'tiny-secp256k1';
import { encodeSigned, typeOf } from './encode-transaction.ts';
import type { EvmTraits } from './evm-traits.ts';
import { keccak256Hex } from './keccak.ts';
import type { RawTransaction } from './raw-block.ts';

/**
 * The sender's signature and what it covers. Undefined where a transaction has none (deposits, messages and
 * whatever else a chain makes itself), and on chains where it may be nobody's.
 */
export function readSignature(tx: RawTransaction, traits: EvmTraits): SenderSignature | undefined {
  if (typeOf(tx) > 4 || traits.impersonation || traits.roots === 'tolerant') return undefined;
  const [r, s] = [BigInt(tx.r ?? 0), BigInt(tx.s ?? 0)];
  // Optimism before Bedrock, Polygon's state syncs: the root proves that there is no signature.
  if (r === 0n && s === 0n) return undefined;
  const v = BigInt((typeOf(tx) === 0 ? tx.v : (tx.yParity ?? tx.v)) ?? 0);
  const chainId = typeOf(tx) === 0 && v >= 35n ? (v - 35n) / 2n : undefined;
  const parity = chainId !== undefined ? (v - 35n) % 2n : v >= 27n ? v - 27n : v;
  return { digest: keccak256Hex(encodeSigned(tx, chainId)), r, s, parity: Number(parity) };
}

/** Address of the account that signed; undefined where the signature is nobody's. About 0.5 ms. */
export function recoverSender({ digest, r, s, parity }: SenderSignature): string | undefined {
  if (parity !== 0 && parity !== 1) return undefined;
  try {
    const signature = Buffer.from(wordOf(r) + wordOf(s), 'hex');
    const key = recover(Buffer.from(digest, 'hex'), signature, parity, false);
    return key === null ? undefined : `0x${keccak256Hex(key.subarray(1)).slice(24)}`;
  } catch {
    return undefined;
  }
}

function wordOf(value: bigint): string {
  return value.toString(16).padStart(64, '0');
}
