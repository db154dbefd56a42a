// SPDX-License-Identifier: Apache-2.0
import { z } from 'zod';
import { chainGidSchema } from '@chainwatch/common/caip';
import type { ParsedAddress } from '@chainwatch/chain-core';
import { normalizeChainGid } from '@chainwatch/chain-registry';
import { invalidRequest } from '@chainwatch/common/problem';

/** The chains that an address is meant for, for bodies. */
export const chainGidsSchema = z
  .array(chainGidSchema)
  .min(1)
  .max(20)
  .meta({
    description:
      'The chains that the address is meant for, as CAIP-2. Needed where chains read the same text and write it differently, such as a Base58 address of Bitcoin Cash: without it, the address counts on the chains that write it so. Name every chain that writes it the same way, because it counts on all of them.',
    examples: [['bip122:000000000019d6689c085ae165831e93']],
  });

/**
 * The address as the named chains write it.
 * @param chainGids absent: as it was written
 * @throws ProblemError 400 where they write it differently, do not know it, or others write it in the same way
 */
export function chooseSpelling(
  parsed: ParsedAddress,
  chainGids: readonly string[] | undefined,
): ParsedAddress {
  if (chainGids === undefined) return parsed;
  const named = chainGids.map(normalizeChainGid);
  if (parsed.networkGids === undefined)
    throw invalidChains('expected none: the address counts on every chain of its family');
  const spellings = [parsed, ...(parsed.others ?? [])];
  const spelling = spellings.find(({ networkGids }) => networkGids?.includes(named[0]!) === true);
  const gids = spelling?.networkGids ?? [];
  const strangers = named.filter((gid) => !spellings.some(({ networkGids }) => networkGids?.includes(gid)));
  if (spelling === undefined || strangers.length > 0)
    throw invalidChains(
      `expected chains that know the address (${listKnown(spellings)}), got ${strangers.join(', ')}`,
    );
  if (named.some((gid) => !gids.includes(gid)))
    throw invalidChains(
      `expected chains that write the address in one way, got several: import it once for each (${listKnown(spellings)})`,
    );
  const unnamed = gids.filter((gid) => !named.includes(gid));
  if (unnamed.length > 0)
    throw invalidChains(
      `expected every chain that writes the address so, because it counts on all of them: name ${unnamed.join(', ')} as well`,
    );
  return spelling;
}

function listKnown(spellings: readonly ParsedAddress[]): string {
  return spellings
    .map(({ display, networkGids }) => `${display} on ${(networkGids ?? []).join(', ')}`)
    .join('; ');
}

function invalidChains(reason: string): Error {
  return invalidRequest([{ name: 'chain_gids', reason }]);
}
