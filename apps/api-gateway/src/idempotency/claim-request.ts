// SPDX-License-Identifier: Apache-2.0
import { randomUUID } from 'node:crypto';
import type { Database, Sql } from '@chainwatch/db';
import { conflict } from '@chainwatch/problem';

interface IdempotentRequest {
  readonly apiKeyId: string;
  readonly keyHash: Buffer;
  readonly fingerprint: Buffer;
}

/** The right to carry a request out, until another process takes it over. */
export interface Claim {
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
export async function claimRequest(db: Database, request: IdempotentRequest): Promise<Found> {
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
