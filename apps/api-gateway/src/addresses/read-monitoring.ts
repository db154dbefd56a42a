// SPDX-License-Identifier: Apache-2.0
import type { ChainNotation, ParsedAddress } from '@chainwatch/chain-core';
import { findNotationNamed, listNetworks } from '@chainwatch/chain-registry';
import type { Sql } from '@chainwatch/data/db';
import type { AddressRow, Monitoring } from '../records/address.ts';

interface Chain {
  readonly gid: string;
  readonly family: string;
  readonly is_active: boolean;
}

type MonitoredRow = Pick<AddressRow, 'chainFamily' | 'format' | 'display' | 'isMonitored' | 'publicKey'>;

/** Whether the chains that know an address are followed, and what its owner has to know of that. */
export async function readMonitoring(
  sql: Sql,
  rows: readonly MonitoredRow[],
): Promise<(row: MonitoredRow) => Monitoring> {
  const { rows: chains } = await sql.query<Chain>(
    'SELECT gid, family, is_active FROM blockchains ORDER BY gid',
  );
  const notations = new Map<string, ChainNotation | undefined>();
  for (const name of new Set(rows.map(({ chainFamily }) => chainFamily)))
    notations.set(name, await findNotationNamed(name));
  const findNetworks = createNetworkFinder(notations);
  return (row) => describeMonitoring(row, chains, findNetworks(row));
}

/** @param knownTo the networks that know the address; undefined: every one of its family does */
export function describeMonitoring(
  { chainFamily, isMonitored, publicKey }: MonitoredRow,
  chains: readonly Chain[],
  knownTo: readonly string[] | undefined,
): Monitoring {
  const followed = chains.filter(
    ({ gid, family }) => family === chainFamily && (knownTo === undefined || knownTo.includes(gid)),
  );
  const monitoring: Record<string, Monitoring['monitoring'][string]> = Object.fromEntries(
    followed.map(({ gid, is_active }) => [gid, is_active ? 'active' : 'inactive']),
  );
  // A chain of the whole family is named only where none is followed: there may be dozens.
  const expected = knownTo ?? (followed.length === 0 ? listFamily(chainFamily) : []);
  for (const gid of publicKey === null ? expected : [publicKey.chainGid, ...expected])
    monitoring[gid] ??= 'not_followed';
  return { monitoring, warnings: isMonitored ? listWarnings(monitoring, publicKey?.chainGid) : [] };
}

/** A derived address is paid to on the chain of its key; any other one on each chain that knows it. */
function listWarnings(monitoring: Monitoring['monitoring'], keyChain: string | undefined): string[] {
  const relevant = keyChain === undefined ? Object.keys(monitoring) : [keyChain];
  if (relevant.some((gid) => monitoring[gid] === 'active')) return [];
  const reasons = relevant.map(
    (gid) => `${gid} is ${monitoring[gid] === 'inactive' ? 'inactive' : 'not followed'}`,
  );
  const shown = reasons.length > 3 ? [...reasons.slice(0, 3), `${reasons.length - 3} more`] : reasons;
  return [`Payments to this address are not detected: ${shown.join(', ') || 'no chain knows it'}.`];
}

function listFamily(family: string): string[] {
  return listNetworks()
    .filter((network) => network.family === family)
    .map(({ gid }) => gid);
}

/**
 * What the spelling of an address says: one of Bitcoin names its networks. A format that names none is read once, because
 * a checksum takes longer than the rest of a record.
 */
function createNetworkFinder(
  notations: ReadonlyMap<string, ChainNotation | undefined>,
): (row: MonitoredRow) => ParsedAddress['networkGids'] {
  const open = new Set<string>();
  return ({ chainFamily, format, display }) => {
    const kind = `${chainFamily} ${format}`;
    if (open.has(kind)) return undefined;
    try {
      const found = notations.get(chainFamily)?.parseAddress(display).networkGids;
      if (found === undefined) open.add(kind);
      return found;
    } catch {
      // A release before this one took it.
      return undefined;
    }
  };
}
