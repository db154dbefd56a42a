// SPDX-License-Identifier: Apache-2.0
import Tinypool from 'tinypool';
import { createDatabase, type Database, type Sql } from '@chainwatch/data/db';
import {
  ProblemError,
  invalidRequest,
  serviceUnavailable,
  toProblemDocument,
  unprocessableEntity,
  type ProblemContext,
  type ProblemField,
} from '@chainwatch/common/problem';
import { toProblemData } from '../server/problem-data.ts';
import { translateError } from '../server/translate-error.ts';
import type { Announced, BulkAnswer, BulkSettings, BulkTask } from './bulk-task.ts';
import type { ChainNotation } from '@chainwatch/chain-core';
import { findNotationNamed } from '@chainwatch/chain-registry';
import { chooseSpelling } from '../addresses/choose-spelling.ts';
import { findHistoryStarts, readActiveChains } from '../addresses/ask-for-history.ts';
import { insertExternalAddresses, type NewAddress } from '../addresses/insert-external-addresses.ts';
import { parseWith, refuseBurnAddress } from '../addresses/parse-address.ts';
import { readAddresses } from '../addresses/read-addresses.ts';
import { selectAddressRows } from '../addresses/select-address-rows.ts';
import { recordChange } from '../management/record-change.ts';
import type { AddressRow } from '../records/address.ts';
import { CHUNK, importSchema, type ImportedItem, type ImportEntry } from './import-schemas.ts';
import { readItems } from './read-items.ts';

// Runs as a thread of api-gateway (bulk-threads.ts): parses, checks and writes what would keep others waiting.

const settings = Tinypool.workerData as BulkSettings;
const db = createDatabase({
  url: settings.databaseUrl,
  isPrepared: settings.isPrepared,
  statementTimeoutMs: settings.statementTimeoutMs,
  applicationName: 'api-gateway-bulk',
  poolSize: 1,
});

/** What the threads of BulkThreads run. Never rejects. */
export default async function carryOut(task: BulkTask): Promise<BulkAnswer> {
  const changed: Announced[] = [];
  try {
    const deps = { db, uris: settings, onChanged: (first: Announced) => changed.push(first) };
    return { type: 'json', bytes: await importAddresses(deps, task), changed };
  } catch (error) {
    const problem = error instanceof ProblemError ? error : translateError(error);
    if (problem === undefined)
      return { type: 'error', error: error instanceof Error ? error : new Error(String(error)), changed };
    return { ...toProblemData(problem), changed };
  }
}

interface ImportDeps {
  readonly db: Database;
  /** Roots of the problem types. */
  readonly uris: Pick<ProblemContext, 'docsUrl' | 'apiHost'>;
  /** Called for each transaction that made addresses. */
  readonly onChanged: (first: Announced) => void;
}

/** One call. */
interface Batch extends ImportDeps, Pick<BulkTask, 'author'> {
  readonly family: ChainNotation;
  /** When the call came. */
  readonly activeChains: readonly string[];
  readonly entries: readonly ImportEntry[];
  /** Why an entry cannot be stored, by its place. */
  readonly faults: ReadonlyMap<number, ProblemField>;
  /** By the place of the entry. */
  readonly items: ImportedItem[];
  /** The first entry of each canonical address, and the later ones. */
  readonly firsts: Map<string, number>;
  readonly repeats: [place: number, first: number][];
}

/**
 * Imports the addresses of a body in chunks, each in a transaction of its own, and answers with one item for each entry.
 * A failure leaves whole chunks behind: sent again, their entries exist.
 * @throws ProblemError 400 and nothing is written
 */
async function importAddresses(deps: ImportDeps, task: BulkTask): Promise<Buffer> {
  const batch = await readBatch(deps, task);
  for (let start = 0; start < batch.entries.length; start += CHUNK) await importChunk(batch, start);
  for (const [place, first] of batch.repeats) {
    const item = batch.items[first]!;
    batch.items[place] = item.status === 'created' ? { ...item, status: 'exists' } : item;
  }
  return Buffer.from(JSON.stringify({ items: batch.items }));
}

async function readBatch(deps: ImportDeps, { bytes, author }: BulkTask): Promise<Batch> {
  const { body: data, faults } = readItems(bytes, {
    ...{ schema: importSchema, list: 'addresses', key: 'value' },
    standIn: (value) => ({ value }),
  });
  const family = await findNotationNamed(data.chain_family);
  if (family === undefined)
    throw unprocessableEntity(`The chain family ${data.chain_family} is not part of this build.`);
  const activeChains = await readActiveChains(deps.db, family.name);
  const told = { items: [], firsts: new Map<string, number>(), repeats: [] };
  return { ...deps, author, family, activeChains, faults, entries: data.addresses, ...told };
}

/** A new address, and the place of its entry. */
type Placed = NewAddress & { readonly place: number };

async function importChunk(batch: Batch, start: number): Promise<void> {
  const addresses = readChunk(batch, start);
  const { created, existing, refused } = await batch.db.transaction(async (sql) => {
    if (start === 0) await recordImport(sql, batch);
    return writeChunk(sql, batch, addresses);
  });
  const [first] = created.values();
  if (first !== undefined) batch.onChanged({ ...toChanged(first), count: created.size });
  const news = await readAddresses(batch.db, [...created.values()]);
  const olds = await readAddresses(batch.db, existing);
  const byAddress = new Map<string, ImportedItem>([
    ...[...created.keys()].map((key, at) => [key, { status: 'created', address: news[at]! }] as const),
    ...existing.map((row, at) => [row.address, { status: 'exists', address: olds[at]! }] as const),
  ]);
  for (const { place, parsed } of addresses)
    batch.items[place] =
      byAddress.get(parsed.canonical) ??
      toInvalid(batch, place, refused.get(parsed.canonical) ?? overtaken());
}

/** Parses a chunk's entries. What cannot be imported gets its item here, a repetition its place among the repeats. */
function readChunk(batch: Batch, start: number): Placed[] {
  const addresses: Placed[] = [];
  for (const [at, entry] of batch.entries.slice(start, start + CHUNK).entries()) {
    const place = start + at;
    const fault = batch.faults.get(place);
    const address = fault === undefined ? tryParse(batch, entry) : invalidRequest([fault]);
    if (address instanceof ProblemError) {
      batch.items[place] = toInvalid(batch, place, address);
      continue;
    }
    const { parsed } = address;
    const first = batch.firsts.get(parsed.canonical);
    if (first !== undefined) {
      batch.repeats.push([place, first]);
      continue;
    }
    batch.firsts.set(parsed.canonical, place);
    const { label, metadata, groups } = entry;
    addresses.push({
      ...address,
      place,
      label: label ?? null,
      metadata: metadata ?? {},
      groups: groups ?? [],
    });
  }
  return addresses;
}

function tryParse(
  { family, activeChains }: Batch,
  { value, chain_gids, allow_burn, history }: ImportEntry,
): Pick<NewAddress, 'parsed' | 'history'> | ProblemError {
  try {
    const parsed = chooseSpelling(parseWith(family, value, 'value'), chain_gids);
    if (!allow_burn) refuseBurnAddress(family, parsed);
    const { networkGids } = parsed;
    return {
      parsed,
      history: findHistoryStarts(activeChains, { chainFamily: family.name, networkGids }, { history }),
    };
  } catch (error) {
    if (error instanceof ProblemError) return error;
    throw error;
  }
}

/** One entry of the audit log a call, with what it writes first. */
async function recordImport(sql: Sql, { author, family, entries }: Batch): Promise<void> {
  await recordChange(sql, author, {
    action: 'project.addresses_imported',
    targetId: author.principal.projectId,
    to: { chain_family: family.name, entries: entries.length },
  });
}

const ATTEMPTS = 3;

interface Written {
  readonly created: ReadonlyMap<string, AddressRow>;
  readonly existing: readonly AddressRow[];
  readonly refused: ReadonlyMap<string, ProblemError>;
}

async function writeChunk(
  sql: Sql,
  { author, family }: Batch,
  addresses: readonly Placed[],
): Promise<Written> {
  const { workspaceId, projectId } = author.principal;
  const chainFamily = family.name;
  const created = new Map<string, AddressRow>();
  const existing: AddressRow[] = [];
  const refused = new Map<string, ProblemError>();
  let left: readonly Placed[] = addresses;
  // Again only for those that another request deleted between the two statements.
  for (let attempt = 0; attempt < ATTEMPTS && left.length > 0; attempt += 1) {
    const imported = await insertExternalAddresses(sql, {
      ...{ workspaceId, projectId, chainFamily },
      addresses: left,
    });
    for (const [address, row] of imported.created) created.set(address, row);
    for (const address of imported.refused) refused.set(address, imported.problem);
    left = left.filter(({ parsed }) => !created.has(parsed.canonical) && !refused.has(parsed.canonical));
    if (left.length === 0) break;
    const rows = await selectAddressRows(
      sql,
      'a.project_id = $1 AND a.chain_family = $2 AND a.address = ANY ($3)',
      [projectId, chainFamily, left.map(({ parsed }) => parsed.canonical)],
    );
    existing.push(...rows);
    const found = new Set(rows.map(({ address }) => address));
    left = left.filter(({ parsed }) => !found.has(parsed.canonical));
  }
  return { created, existing, refused };
}

function overtaken(): ProblemError {
  return serviceUnavailable('The address was deleted by another request at the same time.', {
    retryAfterSeconds: 1,
  });
}

function toInvalid({ uris, entries }: Batch, place: number, error: ProblemError): ImportedItem {
  return { status: 'invalid', value: entries[place]!.value, problem: toProblemDocument(error, uris) };
}

function toChanged({
  id,
  projectId,
  chainFamily,
  address,
  isMonitored,
}: AddressRow): Omit<Announced, 'count'> {
  return { id, projectId, chainFamily, address, isMonitored };
}
