// SPDX-License-Identifier: Apache-2.0
import type { AddressInfo } from 'node:net';
import { openEventStream, waitFor } from '@chainwatch/testing';
import { openExport, readExport, toRecords } from '../spec-support/open-export.ts';
import { parseCsv } from '../spec-support/parse-csv.ts';
import { givePositions, insertEvent } from '../spec-support/positions.ts';
import { startSpecWorld, type SpecWorld } from '../spec-support/spec-world.ts';

const EVM = 'eip155:31337';
const LARGEST = '9'.repeat(78);
const RIGHT_TO_LEFT = '\u202Egnp.exe\u2066';
/** What a label, a memo or a name may be. */
const TEXTS = ['=1+1', '+1', '-1', '@x', '\t=1', RIGHT_TO_LEFT, '"a",\r\nb', "'=1", '\u0001', '𝒳', ''];
const DEEP = 2_000;

let world: SpecWorld;
beforeAll(async () => {
  world = await startSpecWorld();
  await world.api.post('/blockchains').send({ chain_gid: EVM }).expect(201);
}, 120_000);
afterAll(() => world.stop());
afterEach(async () => {
  for (const table of ['addresses', 'transactions', 'event_log', 'project_positions'])
    await world.db.query(`DELETE FROM ${table}`);
  world.failures.length = 0;
});

const exported = async (path: string, accept?: string) => {
  const { server, project } = world;
  const answer = await openExport({
    ...{ server, path, key: project.keys.api },
    ...(accept !== undefined && { accept }),
  });
  return { statusCode: answer.statusCode, ...(await readExport(answer)) };
};
/** Records of both formats: `id` and `member` of each, as their cells are in CSV. */
async function readBoth(path: string, id: string, member: string) {
  const ndjson = await exported(path);
  const csv = await exported(path, 'text/csv');
  const [names, ...rows] = parseCsv(csv.text);
  return {
    statuses: [ndjson.statusCode, csv.statusCode],
    cuts: [ndjson.isCut, csv.isCut],
    records: toRecords(ndjson.text).map((record) => [record[id], record[member]]),
    cells: rows.map((row) => [row[names!.indexOf(id)], row[names!.indexOf(member)]]),
  };
}

it('exports addresses whatever their users say of them', async () => {
  const nested = '{"a":'.repeat(DEEP) + '1' + '}'.repeat(DEEP);
  for (const [n, label] of TEXTS.entries())
    await world.db.query(
      `INSERT INTO addresses (project_id, chain_family, address, display, kind, format, label, metadata)
       VALUES ($1, 'evm', $2, $2, 'external', 'evm', $3, $4)`,
      [world.project.projectId, `0x${String(n).padStart(40, '0')}`, label, n === 0 ? nested : '{"k": "=1"}'],
    );
  const { cuts, records, cells } = await readBoth('/addresses?sort_by=address', 'address', 'label');
  expect(cuts).toEqual([false, false]);
  expect(records.map(([, label]) => label)).toEqual(TEXTS);
  // Nothing that a spreadsheet computes.
  expect(cells.map(([, label]) => label).filter((label) => /^[=+\-@\t]/.test(String(label)))).toEqual([]);
  expect(cells).toHaveLength(TEXTS.length);
});

describe('transactions', () => {
  async function add(name: string, amountRaw: string, decimals: number | null): Promise<void> {
    const gid = `${EVM}/erc20:${name}`;
    await world.db.query(
      `INSERT INTO assets (gid, chain_gid, namespace, reference, type, status, name, symbol, decimals)
       VALUES ($1, $2, 'erc20', $3, 'fungible', 'active', $4, $4, $5) ON CONFLICT DO NOTHING`,
      [gid, EVM, name, RIGHT_TO_LEFT, decimals],
    );
    await world.db.query(
      `WITH t AS (
         INSERT INTO transactions (id, project_id, chain_gid, hash, status, direction, required_confirmations, block_number, memo)
         VALUES (gen_random_uuid(), $1, $2, $3, 'detected', 'in', 1, 1, $6) RETURNING id)
       INSERT INTO transfers (transaction_id, index, project_id, chain_gid, type, asset_gid, amount_raw, monitored_addresses)
       SELECT id, 0, $1, $2, 'token', $4, $5, '{}' FROM t`,
      [world.project.projectId, EVM, `0x${name}`, gid, amountRaw, RIGHT_TO_LEFT],
    );
  }
  const amounts = (records: readonly unknown[][]) =>
    Object.fromEntries(
      records.map(([hash, transfers]) => [hash, (transfers as { amount: string | null }[])[0]!.amount]),
    );

  beforeEach(async () => {
    await add('largest', LARGEST, 0);
    await add('smallest', '1', 255);
    await add('unknown', LARGEST, null);
  });

  it('have amounts at every limit', async () => {
    const { cuts, records, cells } = await readBoth('/transactions', 'hash', 'transfers');
    expect(cuts).toEqual([false, false]);
    const told = { '0xlargest': LARGEST, '0xsmallest': `0.${'0'.repeat(254)}1`, '0xunknown': null };
    expect(amounts(records)).toEqual(told);
    expect(amounts(cells.map(([hash, transfers]) => [hash, JSON.parse(transfers!)]))).toEqual(told);
  });

  it('that cannot be read are left out, and the export is cut behind all others', async () => {
    // No chain says so many; a row that some fault has written.
    await add('impossible', '1', 256);
    await add('later', '5', 0);
    const { statuses, cuts, records, cells } = await readBoth('/transactions', 'hash', 'transfers');
    expect(statuses).toEqual([200, 200]);
    const others = ['0xlargest', '0xlater', '0xsmallest', '0xunknown'];
    expect([records, cells].map((rows) => rows.map(([hash]) => hash).sort())).toEqual([others, others]);
    // Who reads knows that it is not all, and the log says which.
    expect(cuts).toEqual([true, true]);
    await waitFor(() => world.failures.length === 2, { message: 'it to be logged' });
    const { rows } = await world.db.query<{ id: string }>(
      `SELECT id FROM transactions WHERE hash = '0ximpossible'`,
    );
    for (const failure of world.failures)
      expect(String(failure)).toContain(`1 rows of transactions could not be exported: ${rows[0]!.id}`);
  });
});

describe('an event that is no JSON', () => {
  const add = (): Promise<string> => insertEvent(world.db, world.project.projectId);
  let ids: string[];
  let broken: string;
  beforeEach(async () => {
    ids = [await add(), await add()];
    broken = await add();
    ids.push(await add());
    await world.db.query('UPDATE event_log SET payload = $2 WHERE event_id = $1', [
      broken,
      'no JSON\n\nid: 999999\nevent: balance.changed\ndata: {"event_id": "forged"}',
    ]);
    await givePositions(world.db);
  });

  it('is left out of an export, which is cut behind all others', async () => {
    const { cuts, records, cells } = await readBoth('/events?sort_by=created_at', 'event_id', 'type');
    expect([cuts, records.map(([id]) => id), cells.map(([id]) => id)]).toEqual([[true, true], ids, ids]);
  });

  it('is one event of a stream, which goes on behind it', async () => {
    const { port } = world.server.address() as AddressInfo;
    const stream = await openEventStream(`http://127.0.0.1:${port}/v1/events/stream`, {
      'x-api-key': world.project.keys.api,
      'last-event-id': '0',
    });
    await waitFor(() => stream.events.length === 4, { message: 'the events' });
    expect(
      stream.events.map(({ data }) => (/^\{/.test(data) ? JSON.parse(data).event_id : 'no JSON')),
    ).toEqual([ids[0], ids[1], 'no JSON', ids[2]]);
    stream.close();
  });
});
