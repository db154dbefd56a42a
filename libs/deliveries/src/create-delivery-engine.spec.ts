// SPDX-License-Identifier: Apache-2.0
import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { verifySignature } from '@chainwatch/webhook-signature';
import { waitFor } from '@chainwatch/testing';
import { startReceiver, WEBHOOK_SECRET as SECRET, type Receiver } from '@chainwatch/data/testing';
import { giveWorlds, type World } from './spec-world.ts';

const OTHER_SECRET = 'svc_whsec_abcdefghijklmnopqrstuvwxyz0000';
const SHORT = [0, 60, 60, 60, 60, 60, 60, 60, 60, 60, 60, 60];

let world: World;
let receiver: Receiver;
giveWorlds((given) => ({ world, receiver } = given));

const eventIds = (): unknown[] => receiver.requests.map(({ headers }) => headers['x-webhook-event-id']);

describe('delivery', () => {
  test('posts the exact bytes of the event, signed, with the four headers', async () => {
    const channelId = await world.addChannel(receiver.url, {
      config: { headers: { 'X-Mine': 'yes', Host: 'evil.example', 'X-Webhook-Event': 'forged' } },
      credentials: { auth: { type: 'basic', username: 'u', password: 'p' } },
    });
    await world.start();
    const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
    const eventId = await world.emit({ traceparent });
    await world.waitForStatus(eventId, 'delivered');

    const { headers, body } = receiver.requests[0]!;
    const [event] = await world.rows<{ payload: string }>(
      'SELECT payload FROM event_log WHERE event_id = $1',
      [eventId],
    );
    expect(body).toBe(event!.payload);
    expect(verifySignature({ header: headers['x-webhook-signature'], body, secret: SECRET })).toMatchObject({
      ok: true,
    });
    expect(headers).toMatchObject({
      'content-type': 'application/json',
      'user-agent': 'chainwatch-spec',
      'x-webhook-event': 'transaction.detected',
      'x-webhook-event-id': eventId,
      'x-mine': 'yes',
      authorization: 'Basic dTpw',
      host: new URL(receiver.url).host,
      traceparent,
    });
    const [attempt] = await world.rows<Record<string, unknown>>(
      'SELECT a.* FROM delivery_attempts a JOIN deliveries d ON d.id = a.delivery_id WHERE d.channel_id = $1',
      [channelId],
    );
    expect(attempt).toMatchObject({
      id: headers['x-webhook-delivery-id'],
      number: 1,
      status_code: 200,
      error_code: null,
      response_body: 'ok',
    });
    expect(JSON.stringify(attempt)).not.toMatch(/dTpw/);
    expect(receiver.requests).toHaveLength(1);
    await waitFor(
      async () =>
        (await world.rows('SELECT 1 FROM webhook_secrets WHERE last_used_at IS NOT NULL')).length === 1,
    );
  });

  test('signs with both secrets while a rotation overlaps, and takes a rotation up at once', async () => {
    const channelId = await world.addChannel(receiver.url);
    await world.start();
    await world.waitForStatus(await world.emit(), 'delivered');
    await world.db.query(
      `UPDATE webhook_secrets SET state = 'previous', expires_at = now() + interval '1 day' WHERE channel_id = $1`,
      [channelId],
    );
    await world.db.query(
      `INSERT INTO webhook_secrets (channel_id, secret_sealed, mask, state) VALUES ($1, $2, '', 'current')`,
      [channelId, OTHER_SECRET],
    );
    await world.waitForStatus(await world.emit(), 'delivered');
    await world.db.query(`DELETE FROM webhook_secrets WHERE channel_id = $1 AND state = 'previous'`, [
      channelId,
    ]);
    await world.waitForStatus(await world.emit(), 'delivered');

    const verdicts = receiver.requests.map(({ headers, body }) =>
      [SECRET, OTHER_SECRET].map(
        (secret) => verifySignature({ header: headers['x-webhook-signature'], body, secret }).ok,
      ),
    );
    expect(verdicts).toEqual([
      [true, false],
      [true, true],
      [false, true],
    ]);
  });

  test('delivers only the event types and filters that a channel asks for', async () => {
    const asset = 'eip155:31337/erc20:0x01';
    await world.addChannel(receiver.url, {
      config: { event_types: ['transaction.confirmed'], filters: { asset_gids: [asset], min_amount: '1.5' } },
    });
    await world.start();
    const transfer = { asset_gid: asset, amount: '1.50', monitored_addresses: ['0xa'] };
    await world.emit({ transfers: [transfer] });
    await world.emit({ type: 'transaction.confirmed', transfers: [{ ...transfer, amount: '1.49' }] });
    await world.emit({
      type: 'transaction.confirmed',
      transfers: [{ ...transfer, asset_gid: 'eip155:31337/slip44:60' }],
    });
    const wanted = await world.emit({ type: 'transaction.confirmed', transfers: [transfer] });
    await world.waitForStatus(wanted, 'delivered');
    expect(await world.rows('SELECT event_id FROM deliveries')).toEqual([{ event_id: wanted }]);
    await waitFor(async () => (await world.rows('SELECT 1 FROM undispatched_events')).length === 0);
  });

  test('asks the addresses for what an event leaves out of their metadata', async () => {
    const [kept, changed] = [randomUUID(), randomUUID()];
    for (const [id, shop] of [
      [kept, '7'],
      [changed, '8'],
    ] as const)
      await world.rows(
        `INSERT INTO addresses (id, project_id, chain_family, address, display, kind, format, groups, metadata) VALUES ($1, $2, 'evm', $3, $3, 'external', 'evm', '{vip}', $4)`,
        [id, world.projectId, id, JSON.stringify({ shop, note: 'x'.repeat(9_000) })],
      );
    await world.addChannel(receiver.url, { config: { filters: { groups: ['vip'], metadata: { shop: 7 } } } });
    await world.start();
    const about = (id: string, own: object): Promise<string> =>
      world.emit({
        addresses: [{ address_id: id, groups: ['vip'], metadata: {}, metadata_truncated: true, ...own }],
      });
    await about(changed, {});
    await about(kept, { metadata: { shop: '8' }, metadata_truncated: false });
    const wanted = [
      await about(kept, {}),
      await about(changed, { metadata: { shop: '7' }, metadata_truncated: false }),
      // Nobody knows any more whether it is wanted.
      await about(randomUUID(), {}),
    ];
    for (const eventId of wanted) await world.waitForStatus(eventId, 'delivered');
    await waitFor(async () => (await world.rows('SELECT 1 FROM undispatched_events')).length === 0);
    expect(
      (await world.rows<{ event_id: string }>('SELECT event_id FROM deliveries'))
        .map((row) => row.event_id)
        .sort(),
    ).toEqual(wanted.sort());
  });

  test('hears of a deleted address as it heard before, whatever is filtered by', async () => {
    const id = randomUUID();
    const transactions = [randomUUID(), randomUUID()] as const;
    const filters = { address_ids: [id], groups: ['vip'], metadata: { shop: 7 } };
    await world.addChannel(receiver.url, { config: { filters } });
    await world.start();
    const said = { address_id: id, label: 'Till', groups: ['vip'], metadata_truncated: false };
    const first = await world.emit({
      transactionId: transactions[0],
      addresses: [{ ...said, metadata: { shop: '7' } }],
    });
    await world.emit({ transactionId: transactions[1], addresses: [{ ...said, metadata: { shop: '8' } }] });
    const about = (transactionId: string, groups = ['vip']): Promise<string> =>
      world.emit({
        type: 'transaction.confirmed',
        transactionId,
        addresses: [{ ...said, label: null, groups, metadata: {}, metadata_truncated: true }],
      });
    const other = await about(transactions[1]);
    const none = await about(transactions[0], []);
    const later = await about(transactions[0]);
    for (const eventId of [first, later]) await world.waitForStatus(eventId, 'delivered');
    await waitFor(async () => (await world.rows('SELECT 1 FROM undispatched_events')).length === 0);
    expect(await world.rows('SELECT FROM deliveries WHERE event_id = ANY($1)', [[other, none]])).toEqual([]);
  });

  test('brings every event of random bursts once to each channel that wanted it then', async () => {
    const types = ['transaction.detected', 'transaction.confirmed', 'transaction.failed'];
    await world.start();
    await fc.assert(
      fc.asyncProperty(
        fc.array(
          fc.record({
            change: fc.constantFrom('none', 'none', 'add', 'drop', 'move', 'filter'),
            pick: fc.nat(),
            types: fc.subarray(types, { minLength: 1 }),
            events: fc.array(fc.tuple(fc.nat(2), fc.constantFrom(...types)), { minLength: 1, maxLength: 40 }),
          }),
          { minLength: 6, maxLength: 12 },
        ),
        async (rounds) => {
          const projects = [await world.addProject(), await world.addProject(), await world.addProject()];
          const channels: {
            id: string;
            path: string;
            project: string;
            types: readonly string[];
            isFiltered: boolean;
          }[] = [];
          const expected: string[] = [];
          const before = receiver.requests.length;
          for (const [index, round] of rounds.entries()) {
            const chosen = channels[round.pick % Math.max(1, channels.length)];
            const path = `${before}-${index}`;
            if (round.change === 'add' || chosen === undefined) {
              const project = projects[round.pick % 3]!;
              channels.push({
                id: await world.addChannel(`${receiver.url}/${path}`, {
                  projectId: project,
                  config: { event_types: round.types },
                }),
                path,
                project,
                types: round.types,
                isFiltered: false,
              });
            } else if (round.change === 'drop') {
              await world.rows('DELETE FROM notification_channels WHERE id = $1', [chosen.id]);
              channels.splice(channels.indexOf(chosen), 1);
            } else if (round.change === 'move') {
              await world.rows(
                `UPDATE notification_channels SET config = config || jsonb_build_object('url', $2::text) WHERE id = $1`,
                [chosen.id, `${receiver.url}/${path}`],
              );
              chosen.path = path;
            } else if (round.change === 'filter') {
              // None of these events passes the filter.
              await world.rows(
                `UPDATE notification_channels SET config = config || '{"filters": {"chain_gids": ["eip155:1"]}}' WHERE id = $1`,
                [chosen.id],
              );
              chosen.isFiltered = true;
            }
            const ids = await Promise.all(
              round.events.map(([at, type]) => world.emit({ projectId: projects[at]!, type })),
            );
            for (const [place, [at, type]] of round.events.entries()) {
              for (const channel of channels)
                if (channel.project === projects[at] && channel.types.includes(type) && !channel.isFiltered)
                  expected.push(`${channel.path} ${ids[place]!}`);
            }
            // Wait until nothing is under way, so that a delivery that was sent twice is counted too.
            await waitFor(
              async () =>
                (
                  await world.rows(
                    `SELECT 1 FROM undispatched_events UNION ALL SELECT 1 FROM deliveries WHERE status IN ('pending', 'held')`,
                  )
                ).length === 0,
            );
          }
          const got = receiver.requests
            .slice(before)
            .map(
              ({ url, body }) =>
                `${url.split('/').at(-1)!} ${(JSON.parse(body) as { event_id: string }).event_id}`,
            );
          expect(got.toSorted()).toEqual(expected.toSorted());
        },
      ),
      { numRuns: Number(process.env.BURST_RUNS ?? 4) },
    );
  }, 240_000);

  test('goes by what channels are now', async () => {
    const first = await world.addChannel(receiver.url);
    await world.start();
    const deliver = async (event: Parameters<typeof world.emit>[0] = {}): Promise<string[]> => {
      const eventId = await world.emit(event);
      await waitFor(async () => (await world.rows('SELECT 1 FROM undispatched_events')).length === 0);
      const rows = await world.rows<{ channel_id: string }>(
        'SELECT channel_id FROM deliveries WHERE event_id = $1',
        [eventId],
      );
      return rows.map(({ channel_id: id }) => id).sort();
    };
    expect(await deliver()).toEqual([first]);
    const second = await world.addChannel(receiver.url);
    expect(await deliver()).toEqual([first, second].toSorted());
    await world.db.query(
      `UPDATE notification_channels SET config = config || '{"event_types": ["transaction.confirmed"]}' WHERE id = $1`,
      [first],
    );
    expect(await deliver()).toEqual([second]);
    expect(await deliver({ type: 'transaction.failed' })).toEqual([]);
    await world.db.query('DELETE FROM notification_channels WHERE id = $1', [second]);
    expect(await deliver()).toEqual([]);
  });

  test('makes first attempts of a channel in event order', async () => {
    await world.addChannel(receiver.url, { config: {} });
    const sent: string[] = [];
    for (let count = 0; count < 300; count += 1) sent.push(await world.emit());
    await world.start({ concurrencyPerChannel: 1 });
    for (let count = 0; count < 100; count += 1) sent.push(await world.emit());
    await waitFor(() => receiver.requests.length === 400);
    expect(eventIds()).toEqual(sent);
  });

  test('keeps to throttle_per_second', async () => {
    await world.addChannel(receiver.url, { config: { throttle_per_second: 20 } });
    await world.start();
    for (let count = 0; count < 10; count += 1) await world.emit();
    await waitFor(() => receiver.requests.length === 10);
    // The first one opens the connection, and may be late.
    expect(receiver.requests[9]!.atMs - receiver.requests[1]!.atMs).toBeGreaterThanOrEqual(300);
  });
});

describe('failure', () => {
  test('retries by the schedule with the same event id, a fresh delivery id and a fresh signature', async () => {
    await world.addChannel(receiver.url);
    receiver.answer = (_req, res) => void res.writeHead(receiver.requests.length < 3 ? 500 : 204).end();
    await world.start({ scheduleMs: SHORT });
    const eventId = await world.emit();
    await world.waitForStatus(eventId, 'delivered');
    expect(eventIds()).toEqual([eventId, eventId, eventId]);
    expect(new Set(receiver.requests.map(({ headers }) => headers['x-webhook-delivery-id'])).size).toBe(3);
    const attempts = await world.rows(
      'SELECT number, status_code, error_code FROM delivery_attempts ORDER BY number',
    );
    expect(attempts).toEqual([
      { number: 1, status_code: 500, error_code: 'http_error' },
      { number: 2, status_code: 500, error_code: 'http_error' },
      { number: 3, status_code: 204, error_code: null },
    ]);
    const [first, second] = receiver.requests;
    expect(second!.atMs - first!.atMs).toBeGreaterThanOrEqual(45);
  });

  test.each([
    ['a hang', 'timeout', () => undefined],
    [
      'headers that drip',
      'timeout',
      (res: { socket: { write(text: string): void } | null }) => {
        res.socket?.write('HTTP/1.1 200 OK\r\nX-Drip: ');
        const timer = setInterval(() => res.socket?.write('x'), 20);
        setTimeout(() => clearInterval(timer), 1_000);
      },
    ],
    [
      'a reset',
      'connection_reset',
      (res: { socket: { resetAndDestroy(): void } | null }) => res.socket?.resetAndDestroy(),
    ],
    [
      'no HTTP',
      'invalid_response',
      (res: { socket: { end(text: string): void } | null }) => res.socket?.end('SSH-2.0-OpenSSH\r\n\r\n'),
    ],
  ] as const)('records %s as %s', async (_name, code, answer) => {
    await world.addChannel(receiver.url);
    receiver.answer = (_req, res) => answer(res as never);
    await world.start({ attemptTimeoutMs: code === 'timeout' ? 300 : 20_000, scheduleMs: [0, 60_000] });
    const eventId = await world.emit();
    const [attempt] = await waitFor(async () => {
      const rows = await world.rows<{ error_code: string; status_code: null }>(
        'SELECT error_code, status_code FROM delivery_attempts',
      );
      return rows.length > 0 ? rows : undefined;
    });
    expect(attempt).toMatchObject({ error_code: code, status_code: null });
    await world.waitForStatus(eventId, 'pending');
  });

  test('takes a 2xx for a success although its body drips for ever, and keeps what came of it', async () => {
    await world.addChannel(receiver.url);
    receiver.answer = (_req, res) => void res.writeHead(200).write('part');
    await world.start({ attemptTimeoutMs: 300 });
    await world.waitForStatus(await world.emit(), 'delivered');
    expect(await world.rows('SELECT response_body FROM delivery_attempts')).toEqual([
      { response_body: 'part' },
    ]);
  });

  test('keeps 16 KiB of a huge response, NULs and broken UTF-8 included, and lets go of the connection', async () => {
    await world.addChannel(receiver.url);
    const chunk = Buffer.concat([Buffer.from([0, 0xff, 0xfe]), Buffer.alloc(1024 * 1024, 'a')]);
    receiver.answer = (_req, res) => {
      const write = (): void => void (res.destroyed || !res.write(chunk, () => setImmediate(write)));
      res.writeHead(500);
      write();
    };
    await world.start({ scheduleMs: [0, 60_000] });
    await world.emit();
    const [attempt] = await waitFor(async () => {
      const rows = await world.rows<{ response_body: string }>('SELECT response_body FROM delivery_attempts');
      return rows.length > 0 ? rows : undefined;
    });
    expect(attempt!.response_body).toHaveLength(16 * 1024);
    await waitFor(() => receiver.sockets.size === 0);
  });

  test('never follows a redirect', async () => {
    const target = await startReceiver();
    await world.addChannel(receiver.url);
    receiver.answer = (_req, res) => void res.writeHead(307, { location: target.url }).end();
    await world.start({ scheduleMs: [0, 30, 30] });
    const eventId = await world.emit();
    await world.waitForStatus(eventId, 'failed');
    expect(target.requests).toHaveLength(0);
    expect(await world.rows('SELECT DISTINCT error_code FROM delivery_attempts')).toEqual([
      { error_code: 'redirect_refused' },
    ]);
    await target.stop();
  });

  test('never dials a blocked address', async () => {
    await world.addChannel('http://10.255.255.1:9/hook');
    await world.start({ scheduleMs: [0, 60_000] });
    await world.emit();
    await waitFor(
      async () =>
        (await world.rows(`SELECT 1 FROM delivery_attempts WHERE error_code = 'blocked_address'`)).length ===
        1,
    );
  });

  test('does not count a secret that this service cannot open', async () => {
    const channelId = await world.addChannel(receiver.url);
    let isBroken = true;
    const open = (sealed: string): string => {
      if (isBroken) throw new Error('no such key');
      return sealed;
    };
    await world.start({}, { open });
    const eventId = await world.emit();
    await world.waitForStatus(eventId, 'pending');
    isBroken = false;
    await world.db.query(`UPDATE notification_channels SET name = 'touched' WHERE id = $1`, [channelId]);
    await world.waitForStatus(eventId, 'delivered');
    expect(await world.rows('SELECT number FROM delivery_attempts')).toEqual([{ number: 1 }]);
  });
});

describe('the breaker', () => {
  test('makes a channel failing after 5 failures, probes it, and delivers what waited in order once it answers', async () => {
    const channelId = await world.addChannel(receiver.url);
    let isDown = true;
    receiver.answer = (_req, res) => void res.writeHead(isDown ? 503 : 200).end();
    await world.start({ scheduleMs: [0, 60_000, 60_000], probeIntervalMs: 250, concurrencyPerChannel: 1 });
    const sent: string[] = [];
    for (let count = 0; count < 5; count += 1) sent.push(await world.emit());
    await waitFor(
      async () =>
        (await world.rows(`SELECT 1 FROM notification_channels WHERE status = 'failing'`)).length === 1,
    );
    for (let count = 0; count < 20; count += 1) sent.push(await world.emit());
    await waitFor(() => receiver.requests.length >= 8);
    await waitFor(async () => (await world.rows('SELECT 1 FROM deliveries')).length === 25);
    // Three probes take three intervals at least, however late each of them arrives.
    expect(receiver.requests[7]!.atMs - receiver.requests[4]!.atMs).toBeGreaterThan(3 * 250 - 5);
    // Two deliveries were probed in turn, the oldest and the first that was never tried. Neither cost an attempt: the former's
    // probes came before it was due.
    expect(eventIds().slice(5, 9)).toEqual(
      [sent[0], sent[5], sent[0], sent[5]].slice(0, eventIds().length - 5),
    );
    expect(
      await world.rows(
        `SELECT max(attempt_count) AS most, count(*) FILTER (WHERE attempt_count = 0)::int AS untried FROM deliveries`,
      ),
    ).toEqual([{ most: 1, untried: 20 }]);

    isDown = false;
    for (const eventId of sent) await world.waitForStatus(eventId, 'delivered');
    const firstTime = [...new Set(eventIds())];
    expect(firstTime.slice(5)).toEqual(sent.slice(5));
    expect(
      await world.rows(
        'SELECT status, consecutive_failures, failure_reason FROM notification_channels WHERE id = $1',
        [channelId],
      ),
    ).toEqual([{ status: 'active', consecutive_failures: 0, failure_reason: null }]);
  });

  test('fails a channel when a delivery used up its attempts, holds later events, and delivers them after a restore', async () => {
    const channelId = await world.addChannel(receiver.url);
    receiver.answer = (_req, res) => void res.writeHead(500).end();
    await world.start({ scheduleMs: SHORT });
    const lost = await world.emit();
    await world.waitForStatus(lost, 'failed');
    // Probes that came before it was due are attempts on record that do not count.
    const [{ counted, recorded }] = (await world.rows<{ counted: number; recorded: number }>(
      `SELECT attempt_count AS counted, (SELECT count(*)::int FROM delivery_attempts) AS recorded FROM deliveries`,
    )) as [{ counted: number; recorded: number }];
    expect([counted, recorded]).toEqual([12, receiver.requests.length]);
    const [channel] = await world.rows<{ status: string; failed_at: Date | null; failure_reason: string }>(
      'SELECT status, failed_at, failure_reason FROM notification_channels',
    );
    expect(channel).toMatchObject({
      status: 'failed',
      failed_at: expect.any(Date),
      failure_reason: expect.stringContaining('12 attempts'),
    });

    const held = [await world.emit(), await world.emit()];
    for (const eventId of held) await world.waitForStatus(eventId, 'held');
    receiver.answer = (_req, res) => void res.end();
    await world.db.query(
      `UPDATE notification_channels SET status = 'active', consecutive_failures = 0 WHERE id = $1`,
      [channelId],
    );
    for (const eventId of held) await world.waitForStatus(eventId, 'delivered');
    expect(eventIds().slice(recorded)).toEqual(held);
  });

  test('one event that its receiver cannot take closes no channel', async () => {
    const channelId = await world.addChannel(receiver.url);
    const bad = await world.emit();
    receiver.answer = (req, res) =>
      void res.writeHead(req.headers['x-webhook-event-id'] === bad ? 500 : 200).end();
    await world.start({ scheduleMs: [0, ...Array<number>(4).fill(10), 60_000, 60_000], probeIntervalMs: 50 });
    await waitFor(
      async () =>
        (await world.rows(`SELECT 1 FROM notification_channels WHERE status = 'failing'`)).length === 1,
    );
    const later = [await world.emit(), await world.emit()];
    for (const eventId of later) await world.waitForStatus(eventId, 'delivered');
    expect(await world.rows('SELECT status FROM notification_channels WHERE id = $1', [channelId])).toEqual([
      { status: 'active' },
    ]);
    expect(await world.rows('SELECT status FROM deliveries WHERE event_id = $1', [bad])).toMatchObject([
      { status: expect.stringMatching('pending|held') },
    ]);
  });

  test('fails a channel at once on 410', async () => {
    await world.addChannel(receiver.url);
    receiver.answer = (_req, res) => void res.writeHead(410).end();
    await world.start();
    await world.waitForStatus(await world.emit(), 'failed');
    expect(await world.rows('SELECT status FROM notification_channels')).toEqual([{ status: 'failed' }]);
    await world.waitForStatus(await world.emit(), 'held');
    expect(receiver.requests).toHaveLength(1);
  });

  test('holds the events of an archived channel until it is restored', async () => {
    const channelId = await world.addChannel(receiver.url);
    await world.db.query('UPDATE notification_channels SET is_archived = true WHERE id = $1', [channelId]);
    await world.start();
    const eventId = await world.emit();
    await world.waitForStatus(eventId, 'held');
    await world.db.query('UPDATE notification_channels SET is_archived = false WHERE id = $1', [channelId]);
    await world.waitForStatus(eventId, 'delivered');
  });
});

describe('isolation and order', () => {
  test('lets a hanging endpoint slow down itself alone', async () => {
    const hanging = await startReceiver();
    hanging.answer = () => undefined;
    const slow = await world.addChannel(hanging.url);
    const healthy = await world.addChannel(receiver.url);
    await world.start({ attemptTimeoutMs: 600_000 });
    for (let count = 0; count < 60; count += 1) await world.emit();
    await waitFor(
      async () =>
        (
          await world.rows(`SELECT 1 FROM deliveries WHERE channel_id = $1 AND status = 'delivered'`, [
            healthy,
          ])
        ).length === 60,
    );
    // Nobody knows yet whether it will answer.
    expect(hanging.requests).toHaveLength(2);
    expect(await world.rows(`SELECT DISTINCT status FROM deliveries WHERE channel_id = $1`, [slow])).toEqual([
      { status: 'pending' },
    ]);
    await hanging.stop();
  });

  test('never lets a retry go before a newer first attempt that is ready', async () => {
    await world.addChannel(receiver.url);
    let failed = 0;
    receiver.answer = (_req, res) =>
      void setTimeout(() => res.writeHead((failed += 1) <= 3 ? 500 : 200).end(), 20);
    const sent: string[] = [];
    for (let count = 0; count < 40; count += 1) sent.push(await world.emit());
    await world.start({ concurrencyPerChannel: 1, scheduleMs: [0, 50, 50, 50, 50], pollMs: 20 });
    for (const eventId of sent) await world.waitForStatus(eventId, 'delivered');
    expect(eventIds().slice(0, 40)).toEqual(sent);
    expect(new Set(eventIds().slice(40))).toEqual(new Set(sent.slice(0, 3)));
  });
});
