// SPDX-License-Identifier: Apache-2.0
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { waitFor } from '@chainwatch/testing';
import { bootstrap, type Bootstrap } from '../../../db/src/bootstrap.ts';
import { Random } from '../random.ts';
import { startApiStack, type ApiStack } from '../start-api-stack.ts';
import { EXPRESSION_CASES, makeEvent } from './expression-cases.ts';

const EVENTS = Number(process.env['EXPRESSION_EVENTS'] ?? 1_000_000);
const SEED = Number(process.env['SOAK_SEED'] ?? 1);
const EVENTS_AT_ONCE = 2_000;

let stack: ApiStack;
let project: Bootstrap;
let server: Server;
/** Ids of events by the place of their channel, as its receiver got them. */
const received = EXPRESSION_CASES.map(() => new Set<string>());
let repeated = 0;
beforeAll(async () => {
  server = createServer((req, res) => {
    const ids = received[Number(req.url!.slice(1))]!;
    const chunks: Buffer[] = [];
    req.on('data', (chunk: Buffer) => chunks.push(chunk));
    req.on('end', () => {
      for (const line of Buffer.concat(chunks).toString().trimEnd().split('\n')) {
        const { event_id: id } = JSON.parse(line) as { readonly event_id: string };
        if (ids.has(id)) repeated += 1;
        ids.add(id);
      }
      res.writeHead(204).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  stack = await startApiStack({});
  project = await bootstrap(stack.db, { label: 'svc' });
  const { port } = server.address() as AddressInfo;
  for (const [place, { expression }] of EXPRESSION_CASES.entries())
    await addChannel(`http://127.0.0.1:${port}/${place}`, expression);
}, 120_000);
afterAll(async () => {
  await stack.stop();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

async function addChannel(url: string, expression: string): Promise<void> {
  const answer = await fetch(`${stack.apiUrl}/notification_channels/http_batch`, {
    method: 'POST',
    headers: { 'x-api-key': project.keys.api, 'content-type': 'application/json' },
    body: JSON.stringify({
      ...{ name: url, url, event_types: ['transaction.detected', 'balance.changed'] },
      filters: { expression },
    }),
  });
  if (answer.status !== 201) throw new Error(`${expression}: ${answer.status} ${await answer.text()}`);
}

/** Rows as the services commit them, of events that no chain had. @returns what each channel is to get */
async function generateEvents(): Promise<readonly ReadonlySet<string>[]> {
  const random = new Random(SEED);
  const wanted = EXPRESSION_CASES.map(() => new Set<string>());
  for (let first = 0; first < EVENTS; first += EVENTS_AT_ONCE) {
    const events = Array.from({ length: Math.min(EVENTS_AT_ONCE, EVENTS - first) }, (_, index) =>
      makeEvent(random, project.projectId, first + index + 1),
    );
    for (const event of events)
      for (const [place, { wants }] of EXPRESSION_CASES.entries())
        if (wants(event)) wanted[place]!.add(event.event_id);
    await stack.db.query(
      `INSERT INTO event_log (event_id, project_id, chain_gid, type, sequence, subject_kind, payload)
       SELECT u.event_id, $2, 'eip155:31337', u.type, 1, CASE u.type WHEN 'balance.changed' THEN 'balance.changed' ELSE 'tx.detected' END, u.payload
       FROM unnest($1::uuid[], $3::text[], $4::text[]) WITH ORDINALITY AS u (event_id, type, payload, n) ORDER BY n`,
      [
        events.map(({ event_id: id }) => id),
        project.projectId,
        events.map(({ type }) => type),
        events.map((event) => JSON.stringify(event)),
      ],
    );
  }
  return wanted;
}

const countOf = async (query: string): Promise<number> =>
  Number(
    (await stack.db.query<{ count: string }>(`SELECT count(*)::text AS count FROM ${query}`)).rows[0]!.count,
  );

it(`${EVENTS} events go through ${EXPRESSION_CASES.length} expressions, and each channel gets what a second evaluation says`, async () => {
  await stack.services.kill('notifier');
  const wanted = await generateEvents();
  expect(await countOf('undispatched_events')).toBe(EVENTS);
  const startedMs = Date.now();
  await stack.services.restart('notifier');
  const wait = { timeoutMs: 3_600_000, intervalMs: 250 };
  await waitFor(async () => (await countOf('(SELECT FROM undispatched_events LIMIT 1) u')) === 0, wait);
  const matchedMs = Date.now() - startedMs;
  // Reads the whole table.
  await waitFor(async () => (await countOf(`deliveries WHERE status <> 'delivered'`)) === 0, {
    ...wait,
    intervalMs: 5_000,
  });
  const total = wanted.reduce((sum, ids) => sum + ids.size, 0);
  process.stdout.write(
    `${EVENTS} events, ${EXPRESSION_CASES.length} expressions: ${Math.round((EVENTS * 1_000) / matchedMs)} events/s matched beside sending, ${total} deliveries in ${Math.round((Date.now() - startedMs) / 1_000)} s, ${repeated} of them more than once\n`,
  );
  // No expression is a constant.
  const few = wanted.flatMap((ids, place) =>
    ids.size === 0 || ids.size === EVENTS ? [EXPRESSION_CASES[place]!.expression] : [],
  );
  expect(few).toEqual([]);
  const faults = EXPRESSION_CASES.flatMap(({ expression }, place) => {
    const missing = [...wanted[place]!].filter((id) => !received[place]!.has(id)).length;
    const extra = [...received[place]!].filter((id) => !wanted[place]!.has(id)).length;
    return missing + extra === 0 ? [] : [`${expression}: ${missing} missing, ${extra} too many`];
  });
  expect(faults).toEqual([]);
  expect(await countOf('deliveries')).toBe(total);
}, 7_200_000);
