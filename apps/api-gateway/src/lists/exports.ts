// SPDX-License-Identifier: Apache-2.0
import type { ServerResponse } from 'node:http';
import type { z } from 'zod';
import type { Sql } from '@chainwatch/data/db';
import type { PageRequest, RouteReply } from '@chainwatch/platform/http';
import type { Principal } from '@chainwatch/data/key-store';
import { BaseError, forbidden, invalidRequest, tooManyRequests } from '@chainwatch/common/problem';
import { findPoison, type Poison } from '@chainwatch/data/quarantine';
import type { KeyWatch } from '../auth/key-watch.ts';
import { readOn, type Source, type Sources } from '../reads/read-on.ts';
import { FairQueue } from '@chainwatch/chain-core';
import { takeSlot, type Free, type Slots } from '../server/take-slot.ts';
import { findWriter, type ExportWriter } from './export-formats.ts';
import type { Key, ListedRow, Range } from './pager.ts';

interface ExportsDeps {
  readonly slots: Slots;
  readonly keyWatch: Pick<KeyWatch, 'watch'>;
}

/** The rows of a list behind each other. */
export interface Listing {
  find(range: Range): Promise<readonly ListedRow[]>;
  /** Their records; those deleted meanwhile are missing. */
  read(ids: string[]): Promise<readonly object[]>;
  /** How much memory a row takes, about: SQL over a row `t` of the table. */
  readonly weight: {
    readonly table: string;
    readonly idType: 'uuid' | 'bigint';
    readonly bytes: string;
  };
}

interface ExportCall {
  readonly mediaType: string;
  /** The schema of the records: their members are the columns. */
  readonly record: z.ZodType;
  readonly principal: Principal;
  readonly query: PageRequest & { readonly after?: number | undefined };
  /** Of the request. */
  readonly deps: Sources;
  readonly open: (source: Source) => Promise<Listing>;
}

/** Rows of one statement: no statement lasts long, and no transaction outlives it. */
const ROWS_AT_ONCE = 500;
/** Bytes of records read together. An export holds no more in memory, unless one record is larger. */
const BYTES_AT_ONCE = 262_144;
/** Statements of exports at the same time; workspaces take turns. */
const READS_AT_ONCE = 2;
const PER_KEY = 2;
/** A workspace may make any number of keys, and each of its exports holds rows in memory. */
const PER_WORKSPACE = 20;
const RETRY_AFTER_SECONDS = 5;
/** A client that takes nothing for so long has gone. */
const STALLED_MS = 60_000;

/** Answers with whole lists, row by row at the client's pace. */
export class Exports {
  readonly #deps: ExportsDeps;
  readonly #turns = new FairQueue({ atOnce: READS_AT_ONCE });

  constructor(deps: ExportsDeps) {
    this.#deps = deps;
  }

  /**
   * The answer to a request for an export; undefined where a page is asked for. What fails before the first rows are
   * read is a problem, what fails later cuts the connection. A row that cannot be read is left out: the connection is cut
   * behind all others.
   * @throws ProblemError 403 for a portal session, 400 with a page, 429 for the third export of a key or the twenty-first of
   * a workspace
   */
  async answer(call: ExportCall): Promise<RouteReply | undefined> {
    const { mediaType, record, principal, query } = call;
    const writer = findWriter(mediaType, record);
    if (writer === undefined) return undefined;
    if (principal.portal !== undefined) throw forbidden('A portal session may not export lists.');
    refusePages(query);
    const free = await this.#enter(principal);
    try {
      const texts = writeTexts(writer, oneAhead(this.#readRecords(principal, openListing(call))));
      const first = await texts.next();
      return {
        status: 200,
        headers: { 'Content-Type': `${mediaType}; charset=utf-8` },
        stream: (res) => this.#send(res, { free, principal, texts: resume(first, texts) }),
      };
    } catch (error) {
      await free();
      throw error;
    }
  }

  /**
   * A stored document, with the same places and ends as an export: it is cut when its key is revoked, or when the client takes
   * nothing.
   * @throws ProblemError 429 as above
   */
  async download(
    principal: Principal,
    {
      headers,
      pieces,
    }: { readonly headers: Readonly<Record<string, string>>; readonly pieces: AsyncIterable<Buffer> },
  ): Promise<RouteReply> {
    const free = await this.#enter(principal);
    return { status: 200, headers, stream: (res) => this.#send(res, { free, principal, texts: pieces }) };
  }

  /** Takes a place of the key, and one of its workspace. */
  async #enter({ keyId, workspaceId }: Principal): Promise<Free> {
    const { slots } = this.#deps;
    const leaveKey = await takeSlot(slots, `exports:${keyId}`, PER_KEY);
    if (leaveKey === undefined)
      throw tooManyRequests(RETRY_AFTER_SECONDS, `A key may have ${PER_KEY} exports under way.`);
    const leave = await takeSlot(slots, `workspace_exports:${workspaceId}`, PER_WORKSPACE);
    if (leave !== undefined) return async () => void (await Promise.all([leaveKey(), leave()]));
    await leaveKey();
    throw tooManyRequests(RETRY_AFTER_SECONDS, `A workspace may have ${PER_WORKSPACE} exports under way.`);
  }

  async #send(res: ServerResponse, { free, principal, texts }: Sending): Promise<void> {
    const forget = this.#deps.keyWatch.watch(principal, () => res.destroy());
    try {
      for await (const text of texts) {
        if (!isOpen(res)) return;
        if (!res.write(text)) await drained(res);
      }
      if (isOpen(res)) res.end();
    } finally {
      forget();
      await free();
    }
  }

  /** @throws UnreadableRowsError behind all others, when there are rows that cannot be read: whoever reads is cut off */
  async *#readRecords(principal: Principal, listing: OpenListing): Records {
    const unreadable: Poison<string>[] = [];
    for await (const parts of oneAhead(this.#findParts(principal, listing)))
      for (const part of parts) {
        const records: object[] = [];
        const read = async (ids: readonly string[]): Promise<void> => {
          records.push(
            ...(await this.#turns.run({ owner: principal.workspaceId }, () => listing.read([...ids]))),
          );
        };
        unreadable.push(...(await findPoison(part, read)));
        yield records;
      }
    if (unreadable.length > 0) throw new UnreadableRowsError(await listing.findTable(), unreadable);
  }

  /** What to read together, of some hundred rows at a time. */
  async *#findParts({ workspaceId }: Principal, listing: OpenListing): AsyncGenerator<string[][], void> {
    for (let after: Key | undefined; ; ) {
      const range = { offset: 0, limit: ROWS_AT_ONCE, after };
      const rows = await this.#turns.run({ owner: workspaceId }, () => listing.find(range));
      const ids = rows.map(({ id }) => id);
      yield await this.#turns.run({ owner: workspaceId }, async () => split(ids, await listing.weigh(ids)));
      if (rows.length < ROWS_AT_ONCE) return;
      after = rows.at(-1)!.key;
    }
  }
}

interface OpenListing extends Pick<Listing, 'find' | 'read'> {
  /** Bytes of each row. */
  weigh(ids: readonly string[]): Promise<readonly number[]>;
  findTable(): Promise<string>;
}

/** A listing that goes on at the primary where a standby is lost. */
function openListing({ deps, open }: Pick<ExportCall, 'deps' | 'open'>): OpenListing {
  const read = readOn(deps);
  const opened = new Map<Source, Promise<Listing>>();
  const listingOf = (source: Source): Promise<Listing> => {
    const listing = opened.get(source) ?? open(source);
    opened.set(source, listing);
    return listing;
  };
  return {
    find: (range) => read(async (source) => (await listingOf(source)).find(range)),
    read: (ids) => read(async (source) => (await listingOf(source)).read(ids)),
    weigh: (ids) => read(async (source) => weigh(source.db, ids, await listingOf(source))),
    findTable: () => read(async (source) => (await listingOf(source)).weight.table),
  };
}

async function weigh(
  sql: Sql,
  ids: readonly string[],
  { weight: { table, idType, bytes } }: Pick<Listing, 'weight'>,
): Promise<number[]> {
  const { rows } = await sql.query<{ bytes: number }>(
    `SELECT coalesce((SELECT ${bytes} FROM ${table} t WHERE t.id = u.id), 0) AS bytes
     FROM unnest($1::${idType}[]) WITH ORDINALITY AS u (id, place) ORDER BY u.place`,
    [ids],
  );
  return rows.map((row) => row.bytes);
}

/** Parts that are read together. */
function split(ids: readonly string[], bytes: readonly number[]): string[][] {
  const parts: string[][] = [];
  let left = 0;
  for (const [place, id] of ids.entries()) {
    left -= bytes[place]!;
    if (left >= 0) parts.at(-1)!.push(id);
    else {
      parts.push([id]);
      left = BYTES_AT_ONCE - bytes[place]!;
    }
  }
  return parts;
}

const NAMED_MAX = 10;

/** Rows that could not be read even alone, and were left out. */
class UnreadableRowsError extends BaseError {
  readonly code = 'unreadable_rows';
  readonly retryable = false;

  constructor(table: string, rows: readonly Poison<string>[]) {
    const named = rows.slice(0, NAMED_MAX).map(({ item }) => item);
    super(`${rows.length} rows of ${table} could not be exported: ${named.join(', ')}`, {
      cause: rows[0]!.error,
    });
  }
}

type Records = AsyncGenerator<readonly object[], void>;

interface Sending {
  readonly free: Free;
  readonly principal: Principal;
  readonly texts: AsyncIterable<string | Buffer>;
}

function refusePages(query: ExportCall['query']): void {
  const names = (['page', 'cursor', 'after'] as const).filter((name) => query[name] !== undefined);
  if (names.length > 0)
    throw invalidRequest(names.map((name) => ({ name, reason: 'expected none: an export has all rows' })));
}

/** Asks for the next one while this one is made use of. */
async function* oneAhead<T>(items: AsyncGenerator<T, void>): AsyncGenerator<T, void> {
  let next = items.next();
  for (let item = await next; item.done !== true; item = await next) {
    next = items.next();
    // Told when its turn comes, or to nobody when the client has gone by then.
    next.catch(() => undefined);
    yield item.value;
  }
}

async function* writeTexts({ head, write }: ExportWriter, records: Records): AsyncGenerator<string, void> {
  let before = head;
  for await (const part of records) {
    yield before + write(part);
    before = '';
  }
  yield before;
}

async function* resume(first: IteratorResult<string, void>, texts: AsyncGenerator<string, void>) {
  if (first.done === true) return;
  yield first.value;
  yield* texts;
}

function isOpen(res: ServerResponse): boolean {
  return !res.destroyed && !res.writableEnded;
}

/** Resolves when the client has taken what was written, or has gone. */
function drained(res: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const stalled = setTimeout(() => res.destroy(), STALLED_MS);
    const settle = (): void => {
      clearTimeout(stalled);
      res.off('drain', settle).off('close', settle);
      resolve();
    };
    if (isOpen(res)) res.on('drain', settle).on('close', settle);
    else settle();
  });
}
