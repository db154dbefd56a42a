// SPDX-License-Identifier: Apache-2.0
import type { RouteCall, RouteReply } from '@chainwatch/platform/http';
import type { Principal } from '@chainwatch/data/key-store';
import { ProblemError, conflict, invalidRequest, unprocessableEntity } from '@chainwatch/common/problem';
import { createOwnerSealer, type OwnerSealer } from '@chainwatch/platform/secrets';
import { ownerSecretOf } from '../auth/authenticate.ts';
import type { ApiDeps } from '../api-deps.ts';
import { Readable } from 'node:stream';
import type { Request } from 'express';
import { promisify } from 'node:util';
import { deflateRaw, inflateRaw } from 'node:zlib';
import { toProblemData, type ProblemData } from '../server/problem-data.ts';
import { randomUUID } from 'node:crypto';
import type { Database, Sql } from '@chainwatch/data/db';

type Call = RouteCall<ApiDeps, Principal>;

/**
 * Wraps every handler. A POST with an Idempotency-Key is carried out once; each repetition within 24 hours gets the
 * same answer (decisions.md §8). A failure on our side (5xx) and a limit (429) leave nothing behind, and the request may be
 * sent again.
 *
 * @throws ProblemError 409 while the first request runs, 422 if the key was used for a different request
 */
export function carryOutOnce(call: Call): Promise<RouteReply> {
  return call.route.method === 'POST' ? carryOutPost(call) : call.run(call.deps);
}

async function carryOutPost(call: Call): Promise<RouteReply> {
  const text = parseIdempotencyKey(call.req.get('idempotency-key'));
  if (text === undefined) return call.run(call.deps);
  // Sealed with the caller's key, because the answer may contain a secret that is stored nowhere else.
  const sealer = createOwnerSealer(ownerSecretOf(call.res), `idempotency ${text}`);
  const request = {
    apiKeyId: call.principal.keyId,
    keyHash: sealer.fingerprint('key'),
    fingerprint: sealer.fingerprint(fingerprintOf(call.req)),
  };
  const found = await claimRequest(call.deps.db, request);
  switch (found.type) {
    case 'claimed':
      return runClaimed(call, found.claim, (answer) => sealAnswer(sealer, answer));
    case 'running':
      throw new ProblemError('conflict', {
        detail: 'A request with this Idempotency-Key is being carried out at the moment.',
        headers: { 'Retry-After': '1' },
      });
    case 'carried_out':
      throw conflict(
        'The request with this Idempotency-Key was carried out, but its answer was lost. It will not be carried out again.',
      );
    case 'other_request':
      throw unprocessableEntity(
        'This Idempotency-Key was used for another request; expected the same path and body.',
      );
    case 'answered':
      call.res.setHeader('Idempotency-Replayed', 'true');
      return openAnswer(sealer, found.answer);
  }
}

const ACCEPTED_KEY = /^[\x20-\x7e]{1,255}$/;

/** @throws ProblemError 400 */
function parseIdempotencyKey(text: string | undefined): string | undefined {
  if (text === undefined || ACCEPTED_KEY.test(text)) return text;
  const got = text === '' ? 'nothing' : text.length > 255 ? `${text.length} characters` : 'other characters';
  throw invalidRequest([
    { name: 'Idempotency-Key', reason: `expected 1 to 255 printable ASCII characters, got ${got}` },
  ]);
}

async function runClaimed(
  { deps, route, run }: Call,
  claim: Claim,
  seal: (answer: RouteReply | ProblemError) => Promise<Buffer>,
): Promise<RouteReply> {
  // What may be repeated is only marked with its answer: after a failure midway it is carried out again.
  const outcome = await settle(run(route.isRepeatable ? deps : { ...deps, db: claim.mark(deps.db) }));
  const isKept = !(outcome instanceof Error) || (outcome instanceof ProblemError && isFinal(outcome));
  try {
    if (isKept) await claim.keep(await seal(outcome), route.isRepeatable);
    else await claim.release();
  } catch (err) {
    // The answer is still valid. A repetition is told that the request was carried out, or waits for the claim to
    // lapse.
    deps.logger.warn({ err }, 'failed to store idempotent response');
  }
  if (outcome instanceof Error) throw outcome;
  return outcome;
}

/** Not what another time may be answered differently, as the answer itself says. */
function isFinal({ status }: ProblemError): boolean {
  return status < 500 && status !== 429;
}

async function settle(running: Promise<RouteReply>): Promise<RouteReply | Error> {
  try {
    return await running;
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}

/**
 * Equal for requests that are the same: method, path, query and body, in whatever order the body's members stand. A body
 * of bytes is compared as it is, and one that is read while it arrives by its length alone.
 */
function fingerprintOf({
  method,
  originalUrl,
  body,
  headers,
}: Pick<Request, 'method' | 'originalUrl' | 'body' | 'headers'>): string {
  if (body instanceof Readable)
    return `${method} ${originalUrl}\n${headers['content-type']} ${headers['content-length']}`;
  const text = Buffer.isBuffer(body) ? body.toString('utf8') : JSON.stringify(body ?? {}, sortMembers);
  return `${method} ${originalUrl}\n${text}`;
}

function sortMembers(_key: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}

type Stored =
  | { readonly type: 'bytes'; readonly status: number }
  | {
      readonly type: 'reply';
      readonly status: number;
      readonly body?: unknown;
      readonly location?: string | undefined;
      readonly cookie?: RouteReply['cookie'];
    }
  | ProblemData;

const [deflate, inflate] = [promisify(deflateRaw), promisify(inflateRaw)];

/** An answer in its stored form: compressed, and readable by its owner only. */
async function sealAnswer(sealer: OwnerSealer, answer: RouteReply | ProblemError): Promise<Buffer> {
  const body = answer instanceof ProblemError ? undefined : answer.body;
  // Bytes stand behind the line that says so: JSON has no line breaks.
  const stored = Buffer.isBuffer(body)
    ? Buffer.concat([Buffer.from(`${JSON.stringify({ type: 'bytes', status: answer.status })}\n`), body])
    : JSON.stringify(toStored(answer));
  return sealer.seal(await deflate(stored));
}

/** @throws ProblemError if the stored answer is one */
async function openAnswer(sealer: OwnerSealer, sealed: Buffer): Promise<RouteReply> {
  const bytes = await inflate(sealer.open(sealed));
  const lineEnd = bytes.indexOf('\n');
  const head = lineEnd === -1 ? bytes : bytes.subarray(0, lineEnd);
  const stored = JSON.parse(head.toString('utf8')) as Stored;
  if (stored.type === 'bytes') return { status: stored.status, body: bytes.subarray(lineEnd + 1) };
  if (stored.type === 'problem') throw new ProblemError(stored.code, stored);
  return { status: stored.status, body: stored.body, location: stored.location, cookie: stored.cookie };
}

function toStored(answer: RouteReply | ProblemError): Stored {
  if (answer instanceof ProblemError) return toProblemData(answer);
  const { status, body, location, cookie } = answer;
  return { type: 'reply', status, body, location, cookie };
}

interface IdempotentRequest {
  readonly apiKeyId: string;
  readonly keyHash: Buffer;
  readonly fingerprint: Buffer;
}

/** The right to carry a request out, until another process takes it over. */
interface Claim {
  /**
   * The same database, whose transactions also record that the request was carried out: both are committed, or neither.
   */
  mark(db: Database): Database;
  /** @param isRepeatable an answer that is too long is not lost: the request is carried out again */
  keep(answer: Buffer, isRepeatable?: boolean): Promise<void>;
  /** Nothing was done: the next attempt starts over. */
  release(): Promise<void>;
}

type Found =
  | { readonly type: 'claimed'; readonly claim: Claim }
  | { readonly type: 'running' | 'carried_out' | 'other_request' }
  | { readonly type: 'answered'; readonly answer: Buffer };

interface Row {
  readonly fingerprint: Buffer;
  readonly is_carried_out: boolean;
  readonly answer: Buffer | null;
}

/** Longer than any handler may take. After this, another process may take over the request of one that died. */
const CLAIM_SECONDS = 60;
const KEPT_SECONDS = 86_400;
/** Compressed size. A longer answer is not stored; only that the request was carried out. */
const ANSWER_BYTES_MAX = 262_144;
/** Of a request that may be repeated: ten thousand addresses are a megabyte. */
const REPEATABLE_BYTES_MAX = 2_097_152;

/** Claims a request for this process, or returns what became of it. */
async function claimRequest(db: Database, request: IdempotentRequest): Promise<Found> {
  const attempt = randomUUID();
  if (await tryClaim(db, request, attempt))
    return { type: 'claimed', claim: createClaim(db, request, attempt) };
  const { rows } = await db.query<Row>(
    'SELECT fingerprint, is_carried_out, answer FROM idempotency_keys WHERE api_key_id = $1 AND key_hash = $2',
    [request.apiKeyId, request.keyHash],
  );
  const [row] = rows;
  // The claim was released between the two statements. We answer as if it were running: the client tries again.
  if (!row) return { type: 'running' };
  if (!row.fingerprint.equals(request.fingerprint)) return { type: 'other_request' };
  if (row.answer) return { type: 'answered', answer: row.answer };
  return { type: row.is_carried_out ? 'carried_out' : 'running' };
}

async function tryClaim(
  db: Database,
  { apiKeyId, keyHash, fingerprint }: IdempotentRequest,
  attempt: string,
): Promise<boolean> {
  const { rowCount } = await db.query(
    `INSERT INTO idempotency_keys AS k (api_key_id, key_hash, fingerprint, attempt, locked_until, expires_at)
     VALUES ($1, $2, $3, $4, now() + ${CLAIM_SECONDS} * interval '1 second', now() + ${KEPT_SECONDS} * interval '1 second')
     ON CONFLICT (api_key_id, key_hash) DO UPDATE
     SET fingerprint = $3, attempt = $4, locked_until = excluded.locked_until, is_carried_out = false, answer = NULL, created_at = now(), expires_at = excluded.expires_at
     WHERE k.expires_at <= now() OR (k.fingerprint = $3 AND k.answer IS NULL AND NOT k.is_carried_out AND k.locked_until <= now())`,
    [apiKeyId, keyHash, fingerprint, attempt],
  );
  return rowCount === 1;
}

function createClaim(db: Database, { apiKeyId, keyHash }: IdempotentRequest, attempt: string): Claim {
  const change = async (sql: Sql, statement: string, ...values: unknown[]): Promise<boolean> => {
    const { rowCount } = await sql.query(
      `${statement} WHERE api_key_id = $1 AND key_hash = $2 AND attempt = $3`,
      [apiKeyId, keyHash, attempt, ...values],
    );
    return rowCount === 1;
  };
  const release = async (): Promise<void> => {
    await db.query(
      'DELETE FROM idempotency_keys WHERE api_key_id = $1 AND key_hash = $2 AND attempt = $3 AND NOT is_carried_out',
      [apiKeyId, keyHash, attempt],
    );
  };
  const carryOut = async (sql: Sql): Promise<void> => {
    const isOurs = await change(sql, 'UPDATE idempotency_keys SET is_carried_out = true');
    if (!isOurs) throw conflict('The request took so long that a repetition of it took over.');
  };
  return {
    mark: (marked) => ({
      ...marked,
      transaction: (work, opening) =>
        marked.transaction(async (sql, opened) => {
          const result = await work(sql, opened);
          await carryOut(sql);
          return result;
        }, opening),
    }),
    async keep(answer, isRepeatable = false) {
      const isTooLong = answer.length > (isRepeatable ? REPEATABLE_BYTES_MAX : ANSWER_BYTES_MAX);
      if (isTooLong && isRepeatable) return release();
      await change(
        db,
        'UPDATE idempotency_keys SET is_carried_out = true, answer = $4',
        isTooLong ? null : answer,
      );
    },
    release,
  };
}
