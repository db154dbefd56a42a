// SPDX-License-Identifier: Apache-2.0
import { useSuspenseQuery } from '@tanstack/react-query';
import type { Address } from '../../api/queries.ts';
import { sessionQuery } from '../../api/session.ts';

export type Family = Address['chain_family'];

const ACRONYM_MAX = 4;

/** Families that addresses can be of. */
export function useFamilies(): readonly Family[] {
  return useSuspenseQuery(sessionQuery).data.chain_families;
}

/** As people write it: short names are acronyms. */
export function toTitle(family: string): string {
  return family.length <= ACRONYM_MAX
    ? family.toUpperCase()
    : family.charAt(0).toUpperCase() + family.slice(1);
}
