import { mergeCalendars, type Calendar, type Upgrade } from '@chainwatch/chain-core';
import { listFamilies } from './families.ts';
import { findNetwork } from './networks.ts';

/** The calendar of every chain, by CAIP-2 id in any accepted spelling. */
export interface UpgradeBook {
  /** Oldest first; empty for a chain that is not in the catalogue. */
  list(chainGid: string): readonly Upgrade[];
  /** When somebody last compared its family's calendar with the sources, a day; undefined as above. */
  findReviewed(chainGid: string): string | undefined;
}

/** @param mounted an operator's file: what it may change is in `mergeCalendars` */
export function createUpgradeBook(mounted?: Calendar): UpgradeBook {
  const calendars = new Map(
    listFamilies().map((family) => [family.name, mergeCalendars(family, mounted)] as const),
  );
  return {
    list: (chainGid) => {
      const network = findNetwork(chainGid);
      if (network === undefined) return [];
      return calendars.get(network.family)!.upgrades.filter((row) => row.network === network.name);
    },
    findReviewed: (chainGid) => calendars.get(findNetwork(chainGid)?.family ?? '')?.reviewed,
  };
}
