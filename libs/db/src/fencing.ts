import type { Database, Sql } from './database.ts';
import { takeRow } from './take-row.ts';

type FencedTable = 'ingestor_states' | 'analyzer_states';

/** Another replica took the chain over: whatever this one still wants to write is stale. Stop working on the chain. */
export class FencedError extends Error {
  readonly code = 'fenced';
  readonly retryable = false;
  constructor(table: FencedTable, chainGid: string, token: number) {
    super(`token ${token} of ${chainGid} in ${table} is stale: another replica owns the chain`);
    this.name = 'FencedError';
  }
}

/**
 * Takes a chain over: raises the token, so that every earlier owner's writes fail from now on. For the holder of the
 * chain's lease: an earlier owner that stopped inside of a transaction is ended.
 */
export async function raiseToken(
  db: Database,
  table: FencedTable,
  chainGid: string,
  owner: string,
): Promise<number> {
  const rows = await takeRow<{ token: number }>(db, {
    text: `INSERT INTO ${table} (chain_gid, token, owner) VALUES ($1, 1, $2)
     ON CONFLICT (chain_gid) DO UPDATE SET token = ${table}.token + 1, owner = $2, updated_at = now()
     RETURNING token`,
    values: [chainGid, owner],
  });
  return rows[0]!.token;
}

/**
 * First statement of every write: locks the chain's row and proves that `token` is still the newest.
 * @throws FencedError
 */
export async function lockWithToken(
  sql: Sql,
  table: FencedTable,
  chainGid: string,
  token: number,
): Promise<void> {
  const { rowCount } = await sql.query(
    `SELECT 1 FROM ${table} WHERE chain_gid = $1 AND token = $2 FOR UPDATE`,
    [chainGid, token],
  );
  if (rowCount !== 1) throw new FencedError(table, chainGid, token);
}

const BEAT_MS = 10_000;

interface Beat {
  readonly db: Sql;
  readonly table: FencedTable;
  readonly chainGid: string;
  readonly token: number;
  /** What the node says its head is, of ingestor_states. */
  readonly nodeHeadNumber?: () => number | undefined;
  /** Somebody else owns the chain. */
  readonly onFenced: () => void;
}

/**
 * Says every 10 s in the chain's row that it has an owner: a row that is older than 30 s has none, whatever its status
 * says. A beat that fails is no harm, the row gets old as it should. Returns what ends it.
 */
export function startBeating({ db, table, chainGid, token, nodeHeadNumber, onFenced }: Beat): () => void {
  const beat = async (): Promise<void> => {
    const { rowCount } =
      nodeHeadNumber === undefined
        ? await db.query(`UPDATE ${table} SET updated_at = now() WHERE chain_gid = $1 AND token = $2`, [
            chainGid,
            token,
          ])
        : await db.query(
            `UPDATE ${table} SET updated_at = now(), node_head_number = coalesce($3, node_head_number) WHERE chain_gid = $1 AND token = $2`,
            [chainGid, token, nodeHeadNumber() ?? null],
          );
    if (rowCount !== 1) onFenced();
  };
  const timer = setInterval(() => void beat().catch(() => undefined), BEAT_MS);
  return () => clearInterval(timer);
}
