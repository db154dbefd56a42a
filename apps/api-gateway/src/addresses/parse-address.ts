// SPDX-License-Identifier: Apache-2.0
import { InvalidAddressError } from '@chainwatch/chain-core';
import type { ChainNotation, ParsedAddress } from '@chainwatch/chain-core';
import { findNotationNamed, listFamilies } from '@chainwatch/chain-registry';
import { invalidRequest, unprocessableEntity } from '@chainwatch/common/problem';

/** An address of a family. @throws ProblemError 400 with the field `name` */
export function parseWith(
  family: Pick<ChainNotation, 'parseAddress'>,
  input: string,
  name: string,
): ParsedAddress {
  if (input.length > INPUT_MAX)
    throw invalidRequest([{ name, reason: `expected at most ${INPUT_MAX} characters, got ${input.length}` }]);
  try {
    return family.parseAddress(input);
  } catch (error) {
    if (error instanceof InvalidAddressError) throw invalidRequest([{ name, reason: error.publicMessage }]);
    throw error;
  }
}

const INPUT_MAX = 128;

/**
 * @throws ProblemError 422: coins sent to a burn address are gone, and it would report the mints and burns of all
 * tokens
 */
export function refuseBurnAddress(
  { burnAddresses }: Pick<ChainNotation, 'burnAddresses'>,
  { canonical, display }: ParsedAddress,
): void {
  if (burnAddresses?.includes(canonical))
    throw unprocessableEntity(
      `${display} is a burn address, shared by everyone. Set allow_burn to monitor it on purpose.`,
    );
}

/** The networks that know a canonical address; undefined if every network of its family does. */
export async function findNetworkGids(
  familyName: string,
  address: string,
): Promise<readonly string[] | undefined> {
  const family = await findNotationNamed(familyName);
  return family?.parseAddress(address).networkGids;
}

/**
 * The forms that an address of unknown family may be stored in, most likely first: the input itself, then its canonical
 * form in each family that reads it.
 */
export async function listCanonicalForms(input: string): Promise<string[]> {
  const forms = await listFormsByFamily(input);
  return [...new Set([input, ...forms.map(([, address]) => address)])];
}

/**
 * The canonical forms in each family that reads it, first that of the family that writes it so. Several in one where its
 * networks write the same text differently.
 */
export async function listFormsByFamily(input: string): Promise<[family: string, address: string][]> {
  const forms: [family: string, address: string][] = [];
  for (const { name } of listFamilies()) {
    const family = await findNotationNamed(name);
    const parsed = family && tryParse(() => family.parseAddress(input));
    if (parsed) for (const { canonical } of [parsed, ...(parsed.others ?? [])]) forms.push([name, canonical]);
  }
  return forms.sort(([, a], [, b]) => Number(b === input) - Number(a === input));
}

function tryParse(parse: () => ParsedAddress): ParsedAddress | undefined {
  try {
    return parse();
  } catch (error) {
    if (error instanceof InvalidAddressError) return undefined;
    throw error;
  }
}
