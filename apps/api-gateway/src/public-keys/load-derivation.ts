// SPDX-License-Identifier: Apache-2.0
import { DerivationUnavailableError, InvalidPublicKeyError } from '@chainwatch/chain-core';
import type { DerivedAddress, HdDerivation, ParsedPublicKey, PublicKeyInput } from '@chainwatch/chain-core';
import { findFamilyNamed, listFamilies } from '@chainwatch/chain-registry';
import { invalidRequest, serviceUnavailable, unprocessableEntity } from '@chainwatch/common/problem';
import type { PublicKeyRow } from '../records/public-key.ts';

/** The family whose extended public keys are accepted (interface.md, Public key). */
export async function findHdFamily(): Promise<{ readonly name: string; readonly hd: HdDerivation }> {
  for (const { name } of listFamilies()) {
    const hd = (await findFamilyNamed(name))?.hd;
    if (hd !== undefined) return { name, hd };
  }
  throw new Error('expected a family that derives addresses, got none');
}

/**
 * @throws ProblemError 400 with the field at fault, 422 if key and path contradict each other; neither error contains
 * the key
 */
export async function parsePublicKey(input: PublicKeyInput): Promise<ParsedPublicKey> {
  const { hd } = await findHdFamily();
  try {
    return hd.parsePublicKey(input);
  } catch (error) {
    if (!(error instanceof InvalidPublicKeyError)) throw error;
    const fields = [{ name: error.field, reason: error.publicMessage }];
    throw error.isConflict
      ? unprocessableEntity(
          `The public key and its derivation path disagree: ${error.publicMessage}.`,
          fields,
        )
      : invalidRequest(fields);
  }
}

/** Starts what derives addresses, so that the first request does not wait for it. */
export async function startDerivation(): Promise<void> {
  const { hd } = await findHdFamily();
  hd.start();
}

type KeyToDerive = Pick<PublicKeyRow, 'extendedPublicKey' | 'addressFormat' | 'chainGid'>;

/**
 * Addresses of a stored key, derived off this thread, in the order of `indexes`. @throws ProblemError 503 when too many
 * derivations are waiting
 */
export async function deriveAddresses(
  key: KeyToDerive,
  {
    change,
    indexes,
    signal,
  }: { readonly change: number; readonly indexes: readonly number[]; readonly signal?: AbortSignal },
): Promise<DerivedAddress[]> {
  const { hd } = await findHdFamily();
  const { extendedPublicKey, addressFormat, chainGid } = key;
  try {
    return await hd.deriveAddresses(
      { extendedPublicKey, addressFormat, networkGid: chainGid, change, indexes },
      signal,
    );
  } catch (error) {
    // A client that left sees no answer, and its leaving is not our failure.
    if (error instanceof DerivationUnavailableError || signal?.aborted === true)
      throw serviceUnavailable('Addresses cannot be derived at the moment.', {
        retryAfterSeconds: 1,
        cause: error,
      });
    throw error;
  }
}
