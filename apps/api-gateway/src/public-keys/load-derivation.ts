import { DerivationUnavailableError, InvalidPublicKeyError } from '@chainwatch/chain-core';
import type { DerivedAddress, HdDerivation, ParsedPublicKey, PublicKeyInput } from '@chainwatch/chain-core';
import { findFamilyNamed } from '@chainwatch/chain-registry';
import { invalidRequest, serviceUnavailable, unprocessableEntity } from '@chainwatch/problem';
import type { PublicKeyRow } from '../records/public-key.ts';

/** Only extended public keys of the Bitcoin family are accepted (interface.md, Public key). */
export const hdFamily = 'bitcoin';

/** @throws ProblemError 400 with the field at fault, 422 where key and path contradict each other; neither holds the key */
export async function parsePublicKey(input: PublicKeyInput): Promise<ParsedPublicKey> {
  const hd = await loadDerivation();
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

type KeyToDerive = Pick<PublicKeyRow, 'extendedPublicKey' | 'addressFormat' | 'chainGid'>;

/** Addresses of a stored key, off this thread, in the order of `indexes`. @throws ProblemError 503 when too much is asked at once */
export async function deriveAddresses(
  key: KeyToDerive,
  change: number,
  indexes: readonly number[],
  signal?: AbortSignal,
): Promise<DerivedAddress[]> {
  const hd = await loadDerivation();
  const { extendedPublicKey, addressFormat, chainGid } = key;
  try {
    return await hd.deriveAddresses(
      { extendedPublicKey, addressFormat, networkGid: chainGid, change, indexes },
      signal,
    );
  } catch (error) {
    // A client that went away sees no answer, and its going is no fault of ours.
    if (error instanceof DerivationUnavailableError || signal?.aborted === true)
      throw serviceUnavailable('Addresses cannot be derived at the moment.', {
        retryAfterSeconds: 1,
        cause: error,
      });
    throw error;
  }
}

async function loadDerivation(): Promise<HdDerivation> {
  const hd = (await findFamilyNamed(hdFamily))?.hd;
  if (hd === undefined)
    throw new Error(`expected the family ${hdFamily} to derive addresses, got one that does not`);
  return hd;
}
