// SPDX-License-Identifier: Apache-2.0
import { Readable } from 'node:stream';
import { transactionIdOf } from '@chainwatch/events';
import type { Database } from '@chainwatch/data/db';
import type { Author } from '../management/record-change.ts';
import { receiveLedger, type Ledger } from '../reconciliations/receive-ledger.ts';
import { reconcileStep } from '../reconciliations/reconcile-step.ts';
import type { SpecWorld } from './spec-world.ts';

/** Transactions of a project, written past the services. */
export interface BookTransaction {
  readonly hash: string;
  /** `dropped`: pending once, in no block any more. */
  readonly status: 'confirmed' | 'detected' | 'pending' | 'reorged' | 'failed' | 'dropped';
  readonly isUnproved?: boolean;
  readonly time: Date;
  readonly feePayer?: string;
  readonly fee?: bigint;
  readonly transfers: readonly BookTransfer[];
}

export interface BookTransfer {
  readonly from: string;
  readonly to: string;
  readonly assetGid: string;
  readonly amount: bigint;
}

export const CHAIN = 'eip155:1';
export const COIN = 'eip155:1/slip44:60';
export const TOKEN = 'eip155:1/erc20:0xdac17f958d2ee523a2206206994597c13d831ec7';

/** The chain, an asset of six decimals, and monitored addresses of the first project. */
export async function prepareBooks(world: SpecWorld, addresses: readonly string[]): Promise<void> {
  const { db, project } = world;
  await world.api.post('/blockchains').send({ chain_gid: CHAIN }).expect(201);
  await db.query(
    `INSERT INTO assets (gid, chain_gid, namespace, reference, type, status, decimals, symbol)
     VALUES ($1, $2, 'erc20', split_part($1, 'erc20:', 2), 'fungible', 'active', 6, 'USDT') ON CONFLICT DO NOTHING`,
    [TOKEN, CHAIN],
  );
  await db.query(
    `INSERT INTO addresses (project_id, chain_family, address, display, kind, format)
     SELECT $1, 'evm', a, a, 'external', 'evm' FROM unnest($2::text[]) a`,
    [project.projectId, addresses],
  );
}

export async function insertBookTransactions(
  db: Database,
  { projectId, monitored }: { readonly projectId: string; readonly monitored: ReadonlySet<string> },
  transactions: readonly BookTransaction[],
): Promise<void> {
  const rows = transactions.map((transaction) => ({
    id: transactionIdOf(projectId, CHAIN, transaction.hash),
    hash: transaction.hash,
    status: transaction.status === 'dropped' ? 'failed' : transaction.status,
    is_failed: transaction.status === 'failed',
    block: transaction.status === 'pending' || transaction.status === 'dropped' ? null : '0xb1',
    time:
      transaction.status === 'pending' || transaction.status === 'dropped'
        ? null
        : transaction.time.toISOString(),
    detected_at: transaction.time.toISOString(),
    confirmed: transaction.status === 'confirmed' || transaction.status === 'failed',
    is_unproved: transaction.isUnproved ?? false,
    fee: transaction.fee === undefined ? null : String(transaction.fee),
    payer: transaction.feePayer ?? null,
    addresses: [
      ...new Set([...transaction.transfers.flatMap(({ from, to }) => [from, to]), transaction.feePayer]),
    ].filter((address) => address !== undefined && monitored.has(address)),
    transfers: transaction.transfers.map(({ from, to, assetGid, amount }, index) => ({
      ...{ index, from, to, asset: assetGid, amount: String(amount) },
      monitored: [...new Set([from, to])].filter((address) => monitored.has(address)),
    })),
  }));
  await db.query(
    `WITH given AS (SELECT * FROM jsonb_to_recordset($2::jsonb) AS t (id uuid, hash text, status text, is_failed boolean, block text,
         time timestamptz, detected_at timestamptz, confirmed boolean, is_unproved boolean, fee numeric, payer text, addresses jsonb, transfers jsonb)),
       made AS (
         INSERT INTO transactions (id, project_id, chain_gid, hash, status, direction, is_failed, block_number, block_hash, block_timestamp,
           required_confirmations, fee_asset_gid, fee_amount_raw, fee_payer, detected_at, confirmed_at, is_unproved)
         SELECT id, $1, '${CHAIN}', hash, status, 'in', is_failed, CASE WHEN block IS NULL THEN NULL ELSE 1 END, block, time, 1,
           CASE WHEN fee IS NULL THEN NULL ELSE '${COIN}' END, fee, payer, detected_at, CASE WHEN confirmed THEN time END, is_unproved FROM given
         RETURNING id),
       moved AS (
         INSERT INTO transfers (transaction_id, index, project_id, chain_gid, type, asset_gid, from_address, to_address, amount_raw, monitored_addresses, detected_at)
         SELECT g.id, r.index, $1, '${CHAIN}', 'token', r.asset, r."from", r."to", r.amount, ARRAY(SELECT jsonb_array_elements_text(r.monitored)), g.detected_at
         FROM given g, jsonb_to_recordset(g.transfers) AS r (index int, "from" text, "to" text, asset text, amount numeric, monitored jsonb)
         WHERE g.id IN (SELECT id FROM made) RETURNING 1)
     INSERT INTO transaction_addresses (address_id, transaction_id)
     SELECT a.id, g.id FROM given g, jsonb_array_elements_text(g.addresses) AS x (address)
     JOIN addresses a ON a.project_id = $1 AND a.address = x.address
     WHERE g.id IN (SELECT id FROM made) AND (SELECT count(*) FROM moved) >= 0`,
    [projectId, JSON.stringify(rows)],
  );
  await db.query(
    `INSERT INTO project_assets (project_id, asset_gid, chain_gid, namespace, reference, type, status)
     SELECT $1, gid, chain_gid, namespace, reference, type, status FROM assets WHERE gid = $2 ON CONFLICT DO NOTHING`,
    [projectId, TOKEN],
  );
}

/** Who calls with the API key of the first project, or of the other one. */
export async function authorOf(
  db: Database,
  { workspaceId, projectId }: SpecWorld['project'],
): Promise<Author> {
  const { rows } = await db.query<{ id: string }>('SELECT id FROM api_keys WHERE project_id = $1', [
    projectId,
  ]);
  const principal = {
    workspaceId,
    projectId,
    keyId: rows[0]!.id,
    keyType: 'api',
    isOperator: false,
    permissions: [],
  } as const;
  return { principal, requestId: 'spec' };
}

export interface Outcome {
  readonly id: string;
  readonly line: number | null;
  readonly class: string;
  readonly reason: string | null;
  readonly hash: string | null;
  readonly address: string | null;
  readonly asset_gid: string | null;
  readonly direction: string | null;
  readonly moved: string | null;
  readonly first_line: number | null;
}

type SpecLedger = Omit<Ledger, 'bytes' | 'name'> & { readonly text: string | Iterable<string> };

/** Uploads a ledger, and matches it to the end. @returns the id of the reconciliation */
export async function reconcileAll(
  db: Database,
  author: Author,
  { text, ...others }: SpecLedger,
): Promise<string> {
  const texts = typeof text === 'string' ? [text] : text;
  const bytes = Readable.from(toBuffers(texts), { objectMode: false });
  const id = await receiveLedger(db, author, { ...others, name: undefined, bytes });
  while (await reconcileStep(db));
  return id;
}

/** The same, with what came of each row. */
export async function reconcile(db: Database, author: Author, ledger: SpecLedger): Promise<Outcome[]> {
  return readOutcomes(db, await reconcileAll(db, author, ledger));
}

function* toBuffers(texts: Iterable<string>): Generator<Buffer> {
  for (const text of texts) yield Buffer.from(text);
}

export async function readOutcomes(db: Database, id: string): Promise<Outcome[]> {
  const { rows } = await db.query<Outcome>(
    `SELECT reconciliation_id AS id, line, class, reason, hash, address, asset_gid, direction, chain_amount_raw::text AS moved, first_line
     FROM reconciliation_rows WHERE reconciliation_id = $1 ORDER BY line NULLS LAST, id`,
    [id],
  );
  return rows;
}
