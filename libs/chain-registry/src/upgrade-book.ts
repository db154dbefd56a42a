// SPDX-License-Identifier: Apache-2.0
import { mergeCalendars, type Calendar, type FamilyManifest, type Upgrade } from '@chainwatch/chain-core';
import { listFamilies } from './families.ts';
import { findNetwork } from './networks.ts';

/** The calendar of every chain, by CAIP-2 id in any accepted spelling. */
export interface UpgradeBook {
  /** Oldest first; empty for a chain that is not known. */
  list(chainGid: string): readonly Upgrade[];
  /** When somebody last compared its family's calendar with the sources, a day; undefined as above. */
  findReviewed(chainGid: string): string | undefined;
}

/** @param mounted an operator's file: what it may change is in `mergeCalendars` */
export function createUpgradeBook(mounted?: Calendar): UpgradeBook {
  return {
    list: (chainGid) => {
      const family = findFamilyOf(chainGid);
      if (family === undefined) return [];
      const names = family.catalogue.calendarNamesOf(findNetwork(chainGid)!.gid);
      return mergeCalendars(family, mounted).upgrades.filter(({ network }) => names.includes(network));
    },
    findReviewed: (chainGid) => {
      const family = findFamilyOf(chainGid);
      return family && mergeCalendars(family, mounted).reviewed;
    },
  };
}

function findFamilyOf(chainGid: string): FamilyManifest | undefined {
  const network = findNetwork(chainGid);
  return listFamilies().find(({ name }) => name === network?.family);
}
