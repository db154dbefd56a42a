import { InvalidAddressError } from '@chainwatch/chain-core';
import type { ChainFamilyName, ParsedAddress } from '@chainwatch/chain-core';
import { findNotationNamed, listFamilies } from '@chainwatch/chain-registry';
import { invalidRequest, unprocessableEntity } from '@chainwatch/problem';

/** An address of a named family. @throws ProblemError 400 with the field `name`, 422 when this build has no such family */
export async function parseAddressOf(
  familyName: ChainFamilyName,
  input: string,
  name: string,
): Promise<ParsedAddress> {
  const family = await findNotationNamed(familyName);
  if (!family)
    throw unprocessableEntity(
      `The chain family ${familyName} is not part of this build, so its addresses cannot be monitored by it.`,
    );
  try {
    return family.parseAddress(input);
  } catch (error) {
    if (error instanceof InvalidAddressError) throw invalidRequest([{ name, reason: error.publicMessage }]);
    throw error;
  }
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
  const forms = new Set([input]);
  for (const { name } of listFamilies()) {
    const family = await findNotationNamed(name);
    const parsed = family && tryParse(() => family.parseAddress(input));
    if (parsed) forms.add(parsed.canonical);
  }
  return [...forms];
}

function tryParse(parse: () => ParsedAddress): ParsedAddress | undefined {
  try {
    return parse();
  } catch (error) {
    if (error instanceof InvalidAddressError) return undefined;
    throw error;
  }
}
