// SPDX-License-Identifier: Apache-2.0
import { connect, type AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { waitFor } from '@chainwatch/testing';
import { startSpecWorld, type SpecWorld } from '../../spec-support/spec-world.ts';

const HASH = `0x${'ab'.repeat(32)}`;
const ADDRESS = '0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045';
const COIN = 'eip155:1/slip44:60';
const HEADER = 'hash,address,asset_gid,amount';
const GOOD = `${HASH},${ADDRESS},${COIN},1.5`;
const WINDOW = 'from=2026-10-01T00:00:00Z&to=2026-11-01T00:00:00Z';

let world: SpecWorld;
beforeAll(async () => {
  world = await startSpecWorld();
}, 60_000);
afterAll(() => world.stop());
afterEach(async () => {
  const { body } = await world.api.get('/reconciliations').expect(200);
  for (const { id } of body.items) await world.api.delete(`/reconciliations/${id}`).expect(204);
  expect(world.failures).toEqual([]);
});

const send = (body: string | Buffer, { type = 'text/csv', query = WINDOW } = {}) =>
  world.api.post(`/reconciliations?${query}`).set('Content-Type', type).send(body);

describe('what makes the whole ledger unreadable is told with its line, and nothing is kept', () => {
  it.each<readonly [what: string, body: string | Buffer, name: string, reason: string]>([
    ['nothing', '', 'line 1', 'expected a header'],
    ['blank lines', '\n\n', 'line 1', 'expected a header'],
    ['no header', `${GOOD}\n`, 'line 1', 'expected a column "hash" or "event_id"'],
    [
      'a column that is missing',
      `hash,address,amount\n`,
      'line 1',
      'expected a column "asset_gid", got hash, address, amount',
    ],
    ['a column twice', `${HEADER},Amount\n`, 'line 1', 'expected the column "amount" once'],
    [
      'semicolons',
      `${HEADER.replaceAll(',', ';')}\n`,
      'line 1',
      'expected commas between the columns, got ";"',
    ],
    ['tabs', `${HEADER.replaceAll(',', '\t')}\n`, 'line 1', 'expected commas between the columns, got "tab"'],
    ['NUL in the header', `${HEADER}\0\n`, 'line 1', 'got NUL characters'],
    [
      'a quote that never ends',
      `${HEADER}\n${GOOD}\n"${GOOD}\n${GOOD}\n`,
      'line 3',
      'expected the end of a quoted cell',
    ],
    [
      'one of 10 MB',
      `${HEADER}\n${GOOD}\n"${'x'.repeat(10_000_000)}`,
      'line 3',
      'expected a row of at most 65536 bytes',
    ],
    [
      'a line of 10 MB',
      `${HEADER}\n${'x'.repeat(10_000_000)}\n${GOOD}\n`,
      'line 2',
      'expected a row of at most 65536 bytes',
    ],
    ['a million columns', `${'a,'.repeat(1_000_000)}\n`, 'line 1', 'expected a row of at most 65536 bytes'],
  ])('%s', async (_what, body, name, reason) => {
    const { body: problem } = await send(body).expect(400);
    expect(problem.fields).toEqual([{ name, reason: expect.stringContaining(reason) }]);
    expect((await world.api.get('/reconciliations').expect(200)).body.items).toEqual([]);
  });

  it('a line of 10 MB of JSON lines', async () => {
    const { body: problem } = await send(`{}\n{"hash":"${'x'.repeat(10_000_000)}"}\n`, {
      type: 'application/x-ndjson',
    }).expect(400);
    expect(problem.fields).toEqual([{ name: 'line 2', reason: 'expected at most 65536 bytes, got more' }]);
  });

  it('no time in the request and in the ledger', async () => {
    const { body: problem } = await send(`${HEADER}\n${GOOD}\n`, { query: '' }).expect(400);
    expect(problem.fields.map(({ name }: { name: string }) => name)).toEqual(['from', 'to']);
  });

  it('a window that ends before it begins', async () => {
    const query = 'from=2026-11-01T00:00:00Z&to=2026-10-01T00:00:00Z';
    expect((await send(`${HEADER}\n`, { query }).expect(400)).body.fields[0].name).toBe('to');
  });

  it.each([
    'from=2026-10-01',
    'to=2026-10-01T00:00:00',
    'scope=all',
    'class=x',
    'include_fees=maybe',
    'name=',
  ])('the query %s', async (query) => {
    const { body: problem } = await send(`${HEADER}\n`, { query }).expect(400);
    expect(problem.fields.map(({ name }: { name: string }) => name)).toEqual([query.split('=', 1)[0]]);
  });
});

describe('what is wrong with a row is told of that row alone', () => {
  it.each<readonly [what: string, row: string | Buffer, reason: string]>([
    ['NUL', `${HASH}\0,${ADDRESS},${COIN},1`, 'hash: expected text without NUL'],
    [
      'bytes that are not UTF-8',
      Buffer.from([...Buffer.from(`${GOOD.slice(0, -3)}`), 0xff]),
      'amount: expected UTF-8',
    ],
    ['too few cells', `${HASH},${ADDRESS}`, 'row: expected 4 cells, got 2'],
    ['too many cells', `${GOOD},,`, 'row: expected 4 cells, got 6'],
    [
      'a decimal comma',
      `${HASH},${ADDRESS},${COIN},"1,5"`,
      'amount: expected a decimal number such as "1.5", got "1,5"',
    ],
    [
      'an exponent',
      `${HASH},${ADDRESS},${COIN},1e5`,
      'amount: expected a decimal number such as "1.5", got "1e5"',
    ],
    ['no amount', `${HASH},${ADDRESS},${COIN},`, 'amount: expected it, or amount_raw'],
    [
      'too many decimals',
      `${HASH},${ADDRESS},${COIN},1.0000000000000000001`,
      'amount: expected at most 18 decimals, got 19',
    ],
    [
      'more than 78 digits',
      `${HASH},${ADDRESS},${COIN},${'9'.repeat(70)}`,
      'amount: expected at most 78 digits in base units',
    ],
    ['a symbol', `${HASH},${ADDRESS},ETH,1`, 'asset_gid: expected a CAIP-19 asset id'],
    [
      'an unknown chain',
      `${HASH},${ADDRESS},eip155:99999999/slip44:60,1`,
      'asset_gid: expected a chain that the service knows',
    ],
    ['a wrong checksum', `${HASH},0xD8dA6BF26964aF9D7eEd9e03E53415D37aA96045,${COIN},1`, 'address: '],
    ['no hash', `,${ADDRESS},${COIN},1`, 'hash: expected it, or event_id'],
    ['a hash with spaces', `0x a,${ADDRESS},${COIN},1`, 'hash: expected a transaction hash'],
  ])('%s', async (_what, row, reason) => {
    const bytes = Buffer.concat([
      Buffer.from(`${HEADER}\n${GOOD}\n`),
      Buffer.from(row),
      Buffer.from(`\n${GOOD}\n`),
    ]);
    const { body } = await send(bytes).expect(202);
    expect(body).toMatchObject({ row_count: 3, counts: { invalid: 1, missing_on_chain: 2 } });
    const { body: rows } = await world.api.get(`/reconciliations/${body.id}/rows?class=invalid`).expect(200);
    expect(rows.items).toEqual([
      expect.objectContaining({ line: 3, class: 'invalid', reason: expect.stringContaining(reason) }),
    ]);
  });

  it.each<readonly [member: string, value: string, reason: string]>([
    ['direction', 'sideways', 'direction: expected in, out or fee, got "sideways"'],
    ['time', '2026-10-01 12:00', 'time: expected RFC 3339'],
    ['time', '2026-10-01T12:00:00', 'time: expected RFC 3339'],
    ['chain_gid', 'eip155:10', 'chain_gid: expected eip155:1, the chain of the asset'],
    ['event_id', 'x', 'event_id: expected a UUID'],
    ['reference', 'x'.repeat(256), 'reference: expected at most 255 characters, got 256'],
    ['amount_raw', '1.5', 'amount_raw: expected an integer'],
  ])('%s as %j', async (member, value, reason) => {
    const { body } = await send(`${HEADER},${member}\n${GOOD},${value}\n`).expect(202);
    const { body: rows } = await world.api.get(`/reconciliations/${body.id}/rows`).expect(200);
    expect(rows.items[0].reason).toContain(reason);
  });

  it('in JSON lines: no JSON, no object, and a number', async () => {
    const good = { hash: HASH, address: ADDRESS, asset_gid: COIN, amount: '1' };
    const lines = ['{', '[]', JSON.stringify({ ...good, amount: 1.5 }), '', JSON.stringify(good)];
    const { body } = await send(`\uFEFF${lines.join('\r\n')}`, { type: 'application/x-ndjson' }).expect(202);
    const { body: rows } = await world.api.get(`/reconciliations/${body.id}/rows`).expect(200);
    expect(
      rows.items.map(({ line, class: name, reason }: Record<string, unknown>) => [line, name, reason]),
    ).toEqual([
      [1, 'invalid', 'row: expected JSON'],
      [2, 'invalid', 'row: expected a JSON object'],
      [3, 'invalid', 'amount: expected a string, got a number'],
      [5, 'missing_on_chain', 'transaction: the project has none with this hash'],
    ]);
  });
});

it('a byte order mark, CRLF, quotes, other columns and letter case of the header are no faults', async () => {
  const text = `\uFEFFNote, HASH ,Address,asset_gid,Amount\r\n"a, ""b""\r\nc",${HASH},"${ADDRESS}",${COIN},'-1.5\r\n\r\n`;
  const { body } = await send(text).expect(202);
  expect(body.counts).toMatchObject({ missing_on_chain: 1, invalid: 0 });
  const { body: rows } = await world.api.get(`/reconciliations/${body.id}/rows`).expect(200);
  expect(rows.items[0]).toMatchObject({ line: 2, address: ADDRESS, amount: '1.5', direction: 'out' });
});

it('a ledger may be compressed', async () => {
  const zipped = gzipSync(`${HEADER}\n${GOOD}\n`);
  const { body } = await send(zipped).set('Content-Encoding', 'gzip').expect(202);
  expect(body.row_count).toBe(1);
  const { body: problem } = await send(zipped.subarray(0, 30)).set('Content-Encoding', 'gzip').expect(400);
  expect(problem.fields).toEqual([{ name: 'body', reason: 'could not be read' }]);
});

it('a sender that leaves midway leaves nothing behind, and others are answered', async () => {
  const { port } = world.server.address() as AddressInfo;
  const socket = connect(port, '127.0.0.1');
  const head = `POST /v1/reconciliations?${WINDOW} HTTP/1.1\r\nHost: x\r\nX-Api-Key: ${world.project.keys.api}\r\n`;
  socket.write(`${head}Content-Type: text/csv\r\nContent-Length: 1000000\r\n\r\n${HEADER}\n`);
  for (let row = 0; row < 1_500; row += 1) socket.write(`${GOOD}\n`);
  const stored = async (): Promise<number> =>
    (
      await world.db.query<{ n: number }>(
        'SELECT count(*) AS n FROM reconciliation_rows x JOIN reconciliations r ON r.id = x.reconciliation_id WHERE r.expires_at > now()',
      )
    ).rows[0]!.n;
  await waitFor(async () => (await stored()) === 1_000);
  socket.destroy();
  await waitFor(async () => (await stored()) === 0);
  await send(`${HEADER}\n${GOOD}\n`).expect(202);
});

it('other media types, encodings and bodies that are too large are refused before they are read', async () => {
  await send('{}', { type: 'application/json' }).expect(415);
  await send('x', { type: 'text/csv; charset=latin1' }).expect(415);
  await send('x').set('Content-Encoding', 'br').expect(415);
  await send(`${HEADER}\n`, { type: 'Text/CSV; charset=UTF-8' }).expect(202);
});

it('at most two of a workspace are under way; others have their own', async () => {
  for (const _ of [1, 2]) await send(`${HEADER}\n${GOOD}\n`).expect(202);
  const { body } = await send(`${HEADER}\n${GOOD}\n`).expect(422);
  expect(body.detail).toContain('The workspace may have 2 reconciliations under way');
  await world.other
    .post(`/reconciliations?${WINDOW}`)
    .set('Content-Type', 'text/csv')
    .send(`${HEADER}\n${GOOD}\n`)
    .expect(202);
});
