// SPDX-License-Identifier: Apache-2.0
import { v7 as createOrderedId } from 'uuid';
import type { ParsedAddress } from '@chainwatch/chain-core';
import type { Sql } from '@chainwatch/data/db';
import type { ProblemError } from '@chainwatch/common/problem';
import { takeQuota } from '../management/take-quota.ts';
import type { AddressRow } from '../records/address.ts';
import { askForHistories, withHistory, type HistoryStarts } from './ask-for-history.ts';
import { watchFromHead } from './watch-address.ts';

export interface NewAddress {
  readonly parsed: ParsedAddress;
  readonly label: string | null;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly groups: readonly string[];
  /** What is asked for of its past. */
  readonly history: HistoryStarts;
}

interface Import {
  readonly workspaceId: string;
  readonly projectId: string;
  readonly chainFamily: string;
  /** Each canonical address once. */
  readonly addresses: readonly NewAddress[];
}

interface Inserted {
  readonly id: string;
  readonly address: string;
  readonly created_at: Date;
}

interface Imported {
  /** The rows that are new, by canonical address. */
  readonly created: ReadonlyMap<string, AddressRow>;
  /** Those that are over the workspace's quota; the project has all others already. */
  readonly refused: ReadonlySet<string>;
  /** Why. */
  readonly problem: ProblemError;
}

/** Part of the transaction that imports addresses: inserts them and starts to watch them. */
export async function insertExternalAddresses(sql: Sql, request: Import): Promise<Imported> {
  const { room, problem } = await takeQuota(sql, {
    workspaceId: request.workspaceId,
    quota: 'addresses',
    wanted: request.addresses.length,
  });
  const refused = room < request.addresses.length ? await findRefused(sql, request, room) : new Set<string>();
  const inserted = await insertRows(sql, {
    ...request,
    addresses: request.addresses.filter(({ parsed }) => !refused.has(parsed.canonical)),
  });
  const created = new Map<string, AddressRow>();
  for (const addresses of groupByNetworks(
    request.addresses.filter(({ parsed }) => inserted.has(parsed.canonical)),
  )) {
    const rows = addresses.map((address) => [address, inserted.get(address.parsed.canonical)!] as const);
    const watched = await watchFromHead(sql, {
      ids: rows.map(([, { id }]) => id),
      chainFamily: request.chainFamily,
      networkGids: addresses[0]?.parsed.networkGids,
    });
    const asked = rows.map(([{ history }, { id }]) => ({
      id,
      projectId: request.projectId,
      starts: history,
    }));
    await askForHistories(sql, request.chainFamily, asked);
    for (const [address, row] of rows)
      created.set(
        address.parsed.canonical,
        withHistory({ ...toRow(request, address, row), ...watched }, address.history),
      );
  }
  return { created, refused, problem };
}

/** Near the quota: what the project has already needs no room. */
async function findRefused(
  sql: Sql,
  { projectId, chainFamily, addresses }: Import,
  room: number,
): Promise<Set<string>> {
  const wanted = addresses.map(({ parsed }) => parsed.canonical);
  const { rows } = await sql.query<{ address: string }>(
    'SELECT address FROM addresses WHERE project_id = $1 AND chain_family = $2 AND address = ANY ($3)',
    [projectId, chainFamily, wanted],
  );
  const existing = new Set(rows.map(({ address }) => address));
  return new Set(wanted.filter((address) => !existing.has(address)).slice(room));
}

/** In the order of the addresses, so that two imports of the same ones wait for each other and never both. */
async function insertRows(
  sql: Sql,
  { projectId, chainFamily, addresses }: Import,
): Promise<Map<string, Inserted>> {
  const rows = addresses.map(({ parsed, label, metadata, groups }) => ({
    // In the order of time: a million random ids would touch a page of each index for every row.
    id: createOrderedId(),
    address: parsed.canonical,
    display: parsed.display,
    format: parsed.format,
    label,
    metadata,
    groups,
  }));
  const inserted = await sql.query<Inserted>(
    `INSERT INTO addresses (id, project_id, chain_family, address, display, kind, format, label, metadata, groups, imported_at)
     SELECT d.id, $1, $2, d.address, d.display, 'external', d.format, d.label, d.metadata, d.groups, now()
     FROM json_to_recordset($3::json) AS d (id uuid, address text, display text, format text, label text, metadata jsonb, groups text[]) ORDER BY d.address
     ON CONFLICT (project_id, chain_family, address) DO NOTHING RETURNING id, address, created_at`,
    [projectId, chainFamily, JSON.stringify(rows)],
  );
  return new Map(inserted.rows.map((row) => [row.address, row]));
}

/** Addresses of a family may be known to some of its networks only; always in the same order. */
function groupByNetworks(addresses: readonly NewAddress[]): NewAddress[][] {
  const groups = new Map<string, NewAddress[]>();
  for (const address of addresses) {
    const key = address.parsed.networkGids?.join() ?? '';
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [address]);
    else group.push(address);
  }
  return [...groups].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, group]) => group);
}

function toRow(
  { projectId, chainFamily }: Import,
  { parsed, label, metadata, groups }: NewAddress,
  { id, created_at }: Inserted,
): Omit<AddressRow, 'watches' | 'backfills'> {
  return {
    id,
    projectId,
    chainFamily,
    address: parsed.canonical,
    display: parsed.display,
    kind: 'external',
    format: parsed.format,
    label,
    metadata: metadata as AddressRow['metadata'],
    groups: [...groups],
    isMonitored: true,
    importedAt: created_at,
    createdAt: created_at,
    updatedAt: created_at,
    publicKeyId: null,
    derivationChange: null,
    derivationIndex: null,
    isUsed: false,
    histories: [],
    publicKey: null,
  };
}
