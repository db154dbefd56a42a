// SPDX-License-Identifier: Apache-2.0
import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { createDatabase, type Database } from '@chainwatch/data/db';
import { waitFor } from '@chainwatch/testing';
import { createStatementSigner, type StatementSigner } from '../statements/signing-key.ts';
import type { StatementLine } from '../statements/statement-lines.ts';
import { StatementWorker } from '../statements/statement-worker.ts';
import type { Client, SpecWorld } from './spec-world.ts';

export const CHAIN = 'eip155:31337';
export const ETHER = `${CHAIN}/slip44:1`;
export const STRANGER = `0x${'99'.repeat(20)}`;
/** Of block 0; a block every 10 s. */
const BASE_MS = Date.parse('2026-10-01T00:00:00Z');

export const timeOf = (number: number): string => new Date(BASE_MS + number * 10_000).toISOString();
export const hashOf = (number: number, fork = 'a'): string =>
  `0x${createHash('sha256').update(`${fork} ${number}`).digest('hex')}`;

interface MovementRow {
  readonly block: number;
  readonly from: string | null;
  readonly to: string | null;
  readonly amount: bigint;
  readonly asset?: string;
  readonly fee?: { readonly payer: string; readonly amount: bigint };
  readonly status?: string;
  readonly verification?: string;
  readonly type?: string;
}

/** Writes what services write, by SQL: generated histories, not recorded ones. */
export class StatementLedger {
  readonly world: SpecWorld;
  readonly #projectId: string;
  /** Transactions so far: the next one is at another place of its block. */
  #count = 0;

  constructor(world: SpecWorld, projectId = world.project.projectId) {
    this.world = world;
    this.#projectId = projectId;
  }

  async addChain(blocks: number, cursor = blocks - 1, final = cursor): Promise<void> {
    await this.world.api.post('/blockchains').send({ chain_gid: CHAIN }).expect(201);
    await this.world.db.query('UPDATE blockchains SET is_active = true WHERE gid = $1', [CHAIN]);
    await this.addBlocks(0, blocks - 1);
    await this.world.db.query(
      `INSERT INTO analyzer_states (chain_gid, cursor_number, confirmed_number) VALUES ($1, $2, $3)`,
      [CHAIN, cursor, final],
    );
  }

  async addBlocks(first: number, last: number, fork = 'a'): Promise<void> {
    const numbers = Array.from({ length: last - first + 1 }, (_, place) => first + place);
    await this.world.db.query(
      `INSERT INTO blocks (chain_gid, number, hash, parent_hash, block_timestamp, status, verification)
       SELECT $1, n, h, p, t, 'confirmed', 'proved' FROM unnest($2::bigint[], $3::text[], $4::text[], $5::timestamptz[]) AS b (n, h, p, t)`,
      [
        CHAIN,
        numbers,
        numbers.map((number) => hashOf(number, fork)),
        numbers.map((number) => hashOf(number - 1, fork)),
        numbers.map(timeOf),
      ],
    );
  }

  /** @param isImported alone: it is watched from where the API says. @returns its id and canonical form */
  async addAddress(
    client: Client,
    { isImported = false, ...named }: { label?: string; groups?: string[]; isImported?: boolean } = {},
  ): Promise<{ id: string; address: string }> {
    const value = `0x${randomBytes(20).toString('hex')}`;
    const { body } = await client
      .post('/addresses/external')
      .send({ value, chain_family: 'evm', ...named })
      .expect(201);
    if (isImported) return { id: body.id, address: value };
    await this.world.db.query(
      `INSERT INTO address_watches (address_id, chain_gid, from_block) VALUES ($1, $2, 0)
       ON CONFLICT (address_id, chain_gid) DO UPDATE SET from_block = 0`,
      [body.id, CHAIN],
    );
    return { id: body.id, address: value };
  }

  async addAsset(gid: string, type = 'fungible'): Promise<void> {
    const [chain, path] = gid.split('/');
    const [namespace, reference] = path!.split(':');
    await this.world.db.query(
      `INSERT INTO assets (gid, chain_gid, namespace, reference, type, status, symbol, decimals) VALUES ($1, $2, $3, $4, $5, 'active', 'TOK', 2) ON CONFLICT DO NOTHING`,
      [gid, chain, namespace, reference, type],
    );
  }

  /** @returns the hash */
  async addMovement(ofIds: readonly string[], row: MovementRow): Promise<string> {
    const [id, hash] = [randomUUID(), `0x${randomBytes(32).toString('hex')}`];
    const { db } = this.world;
    await db.query(
      `INSERT INTO transactions (id, project_id, chain_gid, hash, status, direction, block_number, block_hash, block_timestamp, tx_index, required_confirmations, fee_asset_gid, fee_amount_raw, fee_payer, verification)
       VALUES ($1, $2, $3, $4, $5, 'in', $6, $7, $8, $13, 1, $9, $10, $11, $12)`,
      [
        ...[
          id,
          this.#projectId,
          CHAIN,
          hash,
          row.status ?? 'confirmed',
          row.block,
          hashOf(row.block),
          timeOf(row.block),
        ],
        ...[
          row.fee && ETHER,
          row.fee?.amount,
          row.fee?.payer,
          row.verification ?? 'proved',
          (this.#count += 1) % 7,
        ],
      ],
    );
    for (const each of ofIds)
      await db.query('INSERT INTO transaction_addresses (address_id, transaction_id) VALUES ($1, $2)', [
        each,
        id,
      ]);
    await db.query(
      `INSERT INTO transfers (transaction_id, index, project_id, chain_gid, type, asset_gid, from_address, to_address, amount_raw, monitored_addresses) VALUES ($1, 0, $2, $3, $4, $5, $6, $7, $8, '{}')`,
      [id, this.#projectId, CHAIN, row.type ?? 'native', row.asset ?? ETHER, row.from, row.to, row.amount],
    );
    return hash;
  }

  async addReading(
    id: string,
    block: number,
    amounts: bigint | Readonly<Record<string, bigint>>,
  ): Promise<void> {
    const byAsset = typeof amounts === 'bigint' ? { [ETHER]: amounts } : amounts;
    for (const [asset, amount] of Object.entries(byAsset))
      await this.#addReading(id, { block, amount, asset });
  }

  async #addReading(
    id: string,
    { block, amount, asset }: { readonly block: number; readonly amount: bigint; readonly asset: string },
  ): Promise<void> {
    const values = [id, asset, CHAIN, block, hashOf(block), amount];
    await this.world.db.query(
      'INSERT INTO balance_history (address_id, asset_gid, chain_gid, block_number, block_hash, amount_raw) VALUES ($1, $2, $3, $4, $5, $6)',
      values,
    );
    await this.world.db.query(
      `INSERT INTO balances (address_id, asset_gid, chain_gid, block_number, block_hash, amount_raw) VALUES ($1, $2, $3, $4, $5, $6)
       ON CONFLICT (address_id, asset_gid) DO UPDATE SET block_number = excluded.block_number, block_hash = excluded.block_hash, amount_raw = excluded.amount_raw`,
      values,
    );
  }
}

/** A worker beside the app, with a pool and a key of its own. */
export interface SpecWorker {
  readonly db: Database;
  readonly signer: StatementSigner;
  readonly warnings: unknown[];
  stop(): Promise<void>;
}

export function startSpecWorker(world: SpecWorld, signer = newSigner()): SpecWorker {
  const db = createDatabase({ url: world.databaseUrl, applicationName: 'statements-spec', poolSize: 3 });
  const warnings: unknown[] = [];
  const worker = new StatementWorker({
    ...{ db, signer, pauseMs: 20 },
    logger: { warn: (fields: unknown) => void warnings.push(fields) },
  });
  return {
    ...{ db, signer, warnings },
    stop: () => worker.stop(),
  };
}

export const newSigner = (): StatementSigner => createStatementSigner(randomBytes(32).toString('base64'));

/** Asks for a statement, waits for it, and downloads it. */
export async function makeStatement(
  client: Client,
  body: object,
): Promise<{ record: StatementRecord; text: string }> {
  const { body: created } = await client.post('/statements').send(body).expect(202);
  const record = await waitFor(async () => {
    const { body: found } = await client.get(`/statements/${created.id}`).expect(200);
    return ['completed', 'failed'].includes(found.status) ? (found as StatementRecord) : null;
  });
  if (record.status !== 'completed') throw new Error(`expected a completed statement, got ${record.reason}`);
  return { record, text: await download(client, record.id) };
}

export async function download(client: Client, id: string): Promise<string> {
  const { body } = await client
    .get(`/statements/${id}/download`)
    .buffer(true)
    .parse((res, done) => {
      const chunks: Buffer[] = [];
      res.on('data', (chunk: Buffer) => chunks.push(chunk));
      res.on('end', () => done(null, Buffer.concat(chunks)));
    })
    .expect(200);
  return (body as Buffer).toString();
}

export interface StatementRecord {
  readonly id: string;
  readonly status: string;
  readonly reason: string | null;
  readonly size: number;
  readonly progress: { readonly unexplained: number };
  readonly signature: { readonly kid: string; readonly sha256: string; readonly value: string };
}

export const parseLines = (text: string): StatementLine[] =>
  text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as StatementLine);

export function linesOf<T extends StatementLine['type']>(
  lines: readonly StatementLine[],
  type: T,
): Extract<StatementLine, { type: T }>[] {
  return lines.filter((line): line is Extract<StatementLine, { type: T }> => line.type === type);
}
