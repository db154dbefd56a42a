// SPDX-License-Identifier: Apache-2.0
import { initEccLib, payments, type Network, type Payment } from 'bitcoinjs-lib';
import * as secp256k1 from 'tiny-secp256k1';
import { HDKey } from '@scure/bip32';
import type { DerivationAnswer, DerivationTask, HdFormat } from './derivation-task.ts';

/**
 * Addresses of one account, or why there are none. Runs in the worker thread, which loads little besides the
 * libraries. bitcoinjs-lib must have been given its curve before.
 */
export function answerTask({
  extendedPublicKey,
  keyVersion,
  change,
  indexes,
  format,
  network,
}: DerivationTask): DerivationAnswer {
  try {
    const account = HDKey.fromExtendedKey(extendedPublicKey, { public: keyVersion, private: 0 });
    const branch = deriveChild(account, change);
    return {
      addresses: indexes.map((index) =>
        encodeAddress(deriveChild(branch, index).publicKey!, format, network),
      ),
    };
  } catch (error) {
    return { fault: error instanceof Error ? error.message : String(error) };
  }
}

/**
 * Where an index has no key (BIP-32, a chance below 2⁻¹²⁷) the library takes the next one, which would be
 * another address than the one asked for.
 */
function deriveChild(parent: HDKey, index: number): HDKey {
  const child = parent.deriveChild(index);
  if (child.index !== index)
    throw new Error(
      `expected a key at the index ${index}, got one at ${child.index}: the index has no address`,
    );
  return child;
}

/** A key that was just derived is a point on the curve; validating it again would double the time for taproot. */
const UNCHECKED = { validate: false };

function encodeAddress(pubkey: Uint8Array, format: HdFormat, network: Network): string {
  const { address } = pay(pubkey, format, network);
  if (address === undefined) throw new Error(`expected an address of the format ${format}, got none`);
  return address;
}

function pay(pubkey: Uint8Array, format: HdFormat, network: Network): Payment {
  switch (format) {
    case 'p2pkh':
      return payments.p2pkh({ pubkey, network }, UNCHECKED);
    case 'p2sh-p2wpkh':
      return payments.p2sh({ redeem: payments.p2wpkh({ pubkey, network }, UNCHECKED), network }, UNCHECKED);
    case 'p2wpkh':
      return payments.p2wpkh({ pubkey, network }, UNCHECKED);
    case 'p2tr':
      // BIP-86: the key with even y, tweaked by its own tagged hash, commits to no script.
      return payments.p2tr({ internalPubkey: pubkey.subarray(1), network }, UNCHECKED);
  }
}

// bitcoinjs-lib needs it to tweak taproot keys.
initEccLib(secp256k1);

/** What the threads of DerivationPool run. */
export default answerTask;
