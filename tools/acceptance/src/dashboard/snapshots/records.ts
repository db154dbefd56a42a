// SPDX-License-Identifier: Apache-2.0
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { repoDir } from '@chainwatch/testing/host';
import { ETH, ETHEREUM, USDC } from './chains.ts';
import { account, ago, hash, make, uuid, type Schemas } from './make-record.ts';
import { addresses, followed } from './payments.ts';

type Row = Schemas['ReconciliationRow'];
type Statement = Schemas['Statement'];

/** Generated from a local chain: a page that verifies it decides as with a real one. */
const { vectors } = JSON.parse(readFileSync(join(repoDir, 'libs/verify/vectors/mpt.json'), 'utf8')) as {
  readonly vectors: readonly { readonly name: string; readonly proof: Schemas['InclusionProof'] }[];
};
const vector = vectors.find(({ name }) => name === 'the transaction at 127 of block 3')!.proof;

/** The payment whose proof is shown. */
export const proved: Schemas['TransactionWithAddresses'] = {
  ...followed,
  id: uuid('proved'),
  hash: vector.hash,
  status: 'confirmed',
  block_hash: vector.block_hash,
  block_number: vector.block_number,
  confirmations: 12,
};

/** Of the block, as a node of one's own would tell it. */
export const PROVED_BLOCK_HASH = vector.block_hash;

export const proof: Schemas['Proof'] = {
  ...vector,
  reason: null,
  finality: { status: 'confirmed', confirmations: 12, required_confirmations: 12 },
};

const example = make('Statement', {});

function statement(name: string, own: Partial<Statement>): Statement {
  return {
    ...example,
    id: uuid(name),
    status: 'completed',
    reason: null,
    addresses: null,
    group: null,
    public_key_id: null,
    chain_gids: null,
    from: '2026-10-01T00:00:00.000Z',
    to: '2026-11-01T00:00:00.000Z',
    format: 'ndjson',
    progress: { addresses_done: 812, addresses_total: 812, movements: 48_210, gaps: 3, unexplained: 1 },
    size: 15_204_352,
    created_at: ago(25, 'h'),
    started_at: ago(25, 'h'),
    finished_at: ago(25, 'h'),
    expires_at: ago(-89, 'd'),
    ...own,
  };
}

const UNFINISHED = { size: null, signature: null, finished_at: null, expires_at: null };

/** Newest first. */
export const statements: readonly Statement[] = [
  statement('running', {
    ...UNFINISHED,
    status: 'running',
    group: 'orders',
    progress: { addresses_done: 1_204, addresses_total: 3_400, movements: 9_112, gaps: 1, unexplained: 0 },
    created_at: ago(40, 's'),
  }),
  statement('october', { group: 'customers' }),
  statement('treasury', {
    addresses: [account('treasury')],
    format: 'html',
    progress: { addresses_done: 1, addresses_total: 1, movements: 118, gaps: 0, unexplained: 0 },
    size: 92_160,
    created_at: ago(26, 'h'),
  }),
  statement('too large', {
    ...UNFINISHED,
    status: 'failed',
    reason: 'it has more than 5,000,000 movements',
    public_key_id: uuid('deposits'),
    format: 'csv',
    from: '2026-01-01T00:00:00.000Z',
    to: '2026-10-01T00:00:00.000Z',
    progress: {
      addresses_done: 6_020,
      addresses_total: 9_800,
      movements: 5_000_000,
      gaps: 12,
      unexplained: 0,
    },
    finished_at: ago(3, 'd'),
    expires_at: ago(-87, 'd'),
    created_at: ago(3, 'd'),
  }),
];

export const october = statements[1]!;

const COUNTS: Schemas['Reconciliation']['counts'] = {
  matched: 1_035,
  missing_in_books: 2,
  missing_on_chain: 1,
  amount_differs: 1,
  duplicate: 2,
  unconfirmed: 1,
  invalid: 1,
};

function reconciliation(name: string, own: Partial<Schemas['Reconciliation']>): Schemas['Reconciliation'] {
  return make('Reconciliation', {
    id: uuid(name),
    name,
    status: 'completed',
    row_count: 1_041,
    counts: COUNTS,
    progress: { phase: 'books', rows_done: 1_041 },
    is_truncated: false,
    error: null,
    created_at: ago(2, 'h'),
    completed_at: ago(2, 'h'),
    expires_at: ago(-90, 'd'),
    ...own,
  });
}

/** Newest first. */
export const reconciliations = [
  reconciliation('October 2026', {}),
  reconciliation('Third quarter', {
    status: 'matching',
    row_count: 88_410,
    progress: { phase: 'rows', rows_done: 41_200 },
    completed_at: null,
  }),
];

const NO_ROW: Row = {
  ...make('ReconciliationRow', {}),
  reason: null,
  event_id: null,
  direction: 'in',
  difference: null,
  difference_raw: null,
  duplicate_of_line: null,
};

function row(line: number | null, name: Row['class'], own: Partial<Row> = {}): Row {
  const amount = own.amount ?? '49.90';
  const raw = String(Math.round(Number(amount) * 1e6));
  return {
    ...NO_ROW,
    line,
    class: name,
    reference: line === null ? null : `INV-${1_040 + line}`,
    chain_gid: ETHEREUM,
    hash: hash(`row ${line} ${name}`),
    address: addresses[0]!.address,
    asset_gid: USDC,
    amount,
    amount_raw: raw,
    chain_amount: amount,
    chain_amount_raw: raw,
    time: ago(4, 'd'),
    transaction_id: uuid(`row ${line} ${name}`),
    ...own,
  };
}

const NOT_ON_CHAIN = { chain_amount: null, chain_amount_raw: null, transaction_id: null };
const NOT_IN_BOOKS = { amount: null, amount_raw: null };

export const reconciliationRows: readonly Row[] = [
  row(2, 'matched'),
  row(3, 'amount_differs', {
    amount: '120.00',
    chain_amount: '119.00',
    chain_amount_raw: '119000000',
    difference: '1',
    difference_raw: '1000000',
  }),
  row(4, 'duplicate', { duplicate_of_line: 2, hash: hash('row 2 matched') }),
  row(5, 'missing_on_chain', { ...NOT_ON_CHAIN, reason: 'unknown_transaction' }),
  row(6, 'unconfirmed', { reason: 'detected' }),
  row(7, 'invalid', { ...NOT_ON_CHAIN, ...NOT_IN_BOOKS, reason: 'amount: expected a decimal number' }),
  row(8, 'matched', { amount: '7.25' }),
  row(null, 'missing_in_books', {
    ...NOT_IN_BOOKS,
    asset_gid: ETH,
    chain_amount: '0.4',
    chain_amount_raw: '400000000000000000',
  }),
  row(null, 'missing_in_books', { ...NOT_IN_BOOKS, chain_amount: '250', chain_amount_raw: '250000000' }),
];
