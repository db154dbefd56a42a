// SPDX-License-Identifier: Apache-2.0
import { randomUUID } from 'node:crypto';
import { verifyStatement, type StatementKeys } from '@chainwatch/verify';
import { deleteExpired } from '../../server/sweep-expired.ts';
import { startSpecWorld, type SpecWorld } from '../../spec-support/spec-world.ts';
import { parseCsv } from '../../spec-support/parse-csv.ts';
import {
  CHAIN,
  download,
  ETHER,
  linesOf,
  makeStatement,
  newSigner,
  parseLines,
  startSpecWorker,
  StatementLedger,
  STRANGER,
  timeOf,
  type SpecWorker,
} from '../../spec-support/statement-ledger.ts';

/** What a spreadsheet would compute, and what a page would run. */
const POISON = `=cmd|'/c calc'!A1<script>alert(1)</script>&"'`;
const PERIOD = { from: timeOf(10), to: timeOf(30) };

let world: SpecWorld;
let ledger: StatementLedger;
let worker: SpecWorker;
let mine: { readonly id: string; readonly address: string };
let hash: string;
beforeAll(async () => {
  world = await startSpecWorld();
  ledger = new StatementLedger(world);
  await ledger.addChain(40);
  await ledger.addAsset(ETHER, 'native');
  mine = await ledger.addAddress(world.api, { label: POISON, groups: ['customers'] });
  await ledger.addReading(mine.id, 5, 100n);
  hash = await ledger.addMovement([mine.id], { block: 20, from: STRANGER, to: mine.address, amount: 50n });
  await ledger.addMovement([mine.id], {
    ...{ block: 22, from: mine.address, to: STRANGER, amount: 30n },
    fee: { payer: mine.address, amount: 2n },
  });
  await ledger.addReading(mine.id, 22, 118n);
  worker = startSpecWorker(world);
});
afterAll(async () => {
  await worker.stop();
  await world.stop();
});

const readKeys = async (): Promise<StatementKeys> =>
  (await world.send('get', '/.well-known/chainwatch-keys').expect(200)).body as StatementKeys;

it('is written, signed, and verified with the public keys alone', async () => {
  const { record, text } = await makeStatement(world.api, { addresses: [mine.address], ...PERIOD });
  expect(record).toMatchObject({
    status: 'completed',
    format: 'ndjson',
    ...{ from: PERIOD.from, to: PERIOD.to },
    progress: { addresses_done: 1, addresses_total: 1, movements: 3, unexplained: 0 },
    size: Buffer.byteLength(text),
    signature: { kid: worker.signer.kid, algorithm: 'Ed25519' },
  });
  const lines = parseLines(text);
  expect(lines[0]).toMatchObject({ type: 'statement', id: record.id, chain_gids: [CHAIN] });
  expect(linesOf(lines, 'chain')).toMatchObject([
    {
      ...{ first_block: { number: 10, time: timeOf(10) }, last_block: { number: 29, time: timeOf(29) } },
      ...{ opening_block: { number: 9 }, block_count: 20, verification: { proved: 20 } },
    },
  ]);
  expect(linesOf(lines, 'balance')).toMatchObject([
    {
      ...{
        opening: { amount_raw: '100', block_number: 5 },
        closing: { amount_raw: '118', block_number: 22 },
      },
      ...{ explained: { transfer: '20', fee: '-2' }, explained_raw: '18', unexplained_raw: '0' },
    },
  ]);
  expect(linesOf(lines, 'movement')[0]).toMatchObject({
    ...{
      transaction_hash: hash,
      amount_raw: '50',
      block_number: 20,
      verification: 'proved',
      is_counted: true,
    },
  });
  const keys = await readKeys();
  expect(await verifyStatement(text, { keys })).toMatchObject({
    isValid: true,
    sha256: record.signature.sha256,
    lines: { balances: 1, movements: 3, unexplained: 0 },
  });
  const forged = text.replace('"amount_raw":"50"', '"amount_raw":"51"');
  expect(await verifyStatement(forged, { keys })).toMatchObject({ isValid: false });
  const headers = (await world.api.get(`/statements/${record.id}/download`)).headers as Record<
    string,
    string
  >;
  expect(headers).toMatchObject({
    'content-type': 'application/x-ndjson; charset=utf-8',
    'content-disposition': `attachment; filename="statement-${record.id}.ndjson"`,
    'x-statement-key': record.signature.kid,
    'x-statement-sha256': record.signature.sha256,
    'x-statement-signature': record.signature.value,
  });
});

it('has labels that no spreadsheet computes, and a signature beside it', async () => {
  const { record, text } = await makeStatement(world.api, { group: 'customers', ...PERIOD, format: 'csv' });
  const [head, ...rows] = parseCsv(text);
  const cells = rows.map((row) => Object.fromEntries(row.map((cell, place) => [head![place]!, cell])));
  expect(cells.find(({ type }) => type === 'address')).toMatchObject({ label: `'${POISON}` });
  expect(rows.flat().filter((cell) => /^[=+@\t]/.test(cell))).toEqual([]);
  expect(cells.filter(({ type }) => type === 'movement').map((cell) => cell.amount_raw)).toEqual([
    ...['50', '-30', '-2'],
  ]);
  expect(cells.find(({ type }) => type === 'balance')).toMatchObject({
    ...{ opening_raw: '100', closing_raw: '118', explained_raw: '18', unexplained_raw: '0' },
  });
  const trust = { keys: await readKeys(), signature: record.signature };
  expect(await verifyStatement(text, trust)).toMatchObject({ isValid: true });
  expect(await verifyStatement(`${text} `, trust)).toMatchObject({ isValid: false });
  expect(await verifyStatement(text, { keys: trust.keys })).toMatchObject({ isValid: false });
});

it('is a page in which a label is text', async () => {
  const { record, text } = await makeStatement(world.api, {
    ...{ addresses: [mine.address], ...PERIOD, format: 'html' },
  });
  expect(text).toContain('&lt;script&gt;alert(1)&lt;/script&gt;');
  expect(text).not.toMatch(/<script|<img|<link|src=|https?:/);
  expect(text).toContain(hash);
  const signature = record.signature;
  expect(await verifyStatement(text, { keys: await readKeys(), signature })).toMatchObject({ isValid: true });
});

it('is created once for an Idempotency-Key, audited without its addresses, listed, and deleted', async () => {
  const key = randomUUID();
  const body = { addresses: [mine.address.toUpperCase().replace('0X', '0x'), mine.address], ...PERIOD };
  const ask = () => world.api.post('/statements').set('Idempotency-Key', key).send(body).expect(202);
  const { body: created } = await ask();
  expect(created.addresses).toHaveLength(1);
  expect((await ask()).body).toEqual(created);
  const { body: list } = await world.api.get('/statements?limit=1').expect(200);
  expect(list.items[0].id).toBe(created.id);
  await world.api.delete(`/statements/${created.id}`).expect(204);
  await world.api.get(`/statements/${created.id}`).expect(404);
  await world.api.get(`/statements/${created.id}/download`).expect(404);
  await world.api.delete(`/statements/${created.id}`).expect(404);
  const { body: audit } = await world.management
    .get(`/management/audit_logs?target_ids=${created.id}`)
    .expect(200);
  expect(audit.items.map(({ action }: { action: string }) => action)).toEqual([
    ...['statement.deleted', 'statement.created'],
  ]);
  expect(audit.items[1].changes).toMatchObject({ address_count: { from: null, to: 1 } });
});

it('stays verifiable after the key was changed', async () => {
  const { text } = await makeStatement(world.api, { addresses: [mine.address], ...PERIOD });
  await worker.stop();
  worker = startSpecWorker(world, newSigner());
  const { record, text: later } = await makeStatement(world.api, { addresses: [mine.address], ...PERIOD });
  expect(record.signature.kid).toBe(worker.signer.kid);
  const keys = await readKeys();
  expect(keys.keys).toHaveLength(2);
  for (const each of [text, later])
    expect(await verifyStatement(each, { keys })).toMatchObject({ isValid: true });
});

it('ends 90 days after it was finished, and is removed with its document', async () => {
  const { record } = await makeStatement(world.api, { addresses: [mine.address], ...PERIOD });
  const { rows } = await world.db.query<{ days: number }>(
    'SELECT extract(day FROM expires_at - finished_at)::int AS days FROM statements WHERE id = $1',
    [record.id],
  );
  expect(rows[0]!.days).toBe(90);
  await world.db.query(`UPDATE statements SET expires_at = now() - interval '1 s' WHERE id = $1`, [
    record.id,
  ]);
  await world.api.get(`/statements/${record.id}`).expect(404);
  await world.api.get(`/statements/${record.id}/download`).expect(404);
  // By every gateway, also one that has no key and no worker.
  expect(await deleteExpired(world.db, 'statements')).toBe(1);
  const left = await world.db.query('SELECT FROM statement_parts WHERE statement_id = $1', [record.id]);
  expect(left.rowCount).toBe(0);
});

it('is nothing for another project, not even where addresses are the same', async () => {
  const { record } = await makeStatement(world.api, { addresses: [mine.address], ...PERIOD });
  for (const path of [`/statements/${record.id}`, `/statements/${record.id}/download`])
    await world.other.get(path).expect(404);
  await world.other.delete(`/statements/${record.id}`).expect(404);
  await world.other
    .post('/statements')
    .send({ addresses: [mine.address], ...PERIOD })
    .expect(422);
  await world.other
    .post('/addresses/external')
    .send({ value: mine.address, chain_family: 'evm' })
    .expect(201);
  const { text } = await makeStatement(world.other, { addresses: [mine.address], ...PERIOD });
  const lines = parseLines(text);
  expect([linesOf(lines, 'movement'), linesOf(lines, 'balance')]).toEqual([[], []]);
  expect(linesOf(lines, 'address')).toMatchObject([{ label: null }]);
  expect(text).not.toContain(world.project.projectId);
  expect(await download(world.api, record.id)).toContain(world.project.projectId);
});
