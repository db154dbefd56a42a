// SPDX-License-Identifier: Apache-2.0
import { randomUUID } from 'node:crypto';
import type { Attempt } from '@chainwatch/channels';
import { waitFor } from '@chainwatch/testing';
import type { Receiver } from '@chainwatch/data/testing';
import { createChannelStore } from '../channel-store.ts';
import { completeOptions } from '../delivery-options.ts';
import { giveWorlds, type World } from '../spec-world.ts';
import { Recorder } from './recorder.ts';

let world: World;
let receiver: Receiver;
giveWorlds((given) => ({ world, receiver } = given));
beforeEach(async () => {
  await world.db.query(
    `INSERT INTO blockchains (gid, family, name, short_name, image_url, is_active) VALUES ('eip155:31337', 'evm', 'local', 'local', 'https://example.com/x.svg', true) ON CONFLICT DO NOTHING`,
  );
});

const logger = { info: () => undefined, warn: () => undefined, error: () => undefined };
const incidents = () =>
  world.rows<{ status: string }>(
    'SELECT kind, status, subject_type, subject_id, project_id FROM incidents ORDER BY created_at',
  );

describe('an outcome that the database refuses because of what it says', () => {
  const OVER = 3_000_000_000;
  const SAID: Attempt = {
    ...{ id: '', startedAt: new Date(), durationMs: 1, statusCode: 200, errorCode: undefined },
    request: { method: 'POST', url: 'https://1.1.1.1/', headers: {} },
    ...{ responseHeaders: { a: 'b' }, responseBody: 'ok', retryAfterMs: undefined },
  };

  test.each([
    ['successes', undefined, 'delivered'],
    ['failures', 'http_status', 'pending'],
  ] as const)(
    'is stored without its details, and the %s beside it are whole',
    async (_, errorCode, status) => {
      const options = completeOptions({ scheduleMs: [0, 60_000, 60_000], failingAfter: 10 });
      const channels = createChannelStore(world.db, (sealed) => sealed);
      const activity = { add: () => undefined };
      const deps = { db: world.db, planned: world.db, channels, activity, options, logger };
      const recorder = new Recorder({ ...deps, random: () => 0.5, now: Date.now });
      const channelId = await world.addChannel(receiver.url);
      const durations = [1, 2, OVER, 4, 5];
      for (const durationMs of durations) {
        const { eventId, type } = await world.insertEvent();
        const id = randomUUID();
        await world.db.query(
          `INSERT INTO deliveries (id, project_id, channel_id, event_id, event_type, status) VALUES ($1, $2, $3, $4, $5, 'pending')`,
          [id, world.projectId, channelId, eventId, type],
        );
        recorder.add({
          job: {
            ...{ id, channelId, eventId, eventType: type, payload: '', traceparent: undefined },
            ...{ attemptCount: 0, isFirst: true, dueAt: new Date(), isProbe: false, isTest: false },
          },
          attempt: {
            ...{ ...SAID, id: randomUUID(), durationMs, errorCode },
            statusCode: errorCode === undefined ? 200 : 500,
          },
          isChannelClean: true,
        });
      }
      await recorder.stop();

      const attempts = await world.rows<{ duration_ms: number; response_body: string }>(
        `SELECT a.duration_ms, a.status_code, a.response_body, d.status, d.attempt_count FROM delivery_attempts a
       JOIN deliveries d ON d.id = a.delivery_id ORDER BY a.duration_ms`,
      );
      const whole = { status_code: errorCode === undefined ? 200 : 500, status, attempt_count: 1 };
      expect(attempts).toEqual([
        ...[1, 2, 4, 5].map((duration_ms) => ({ ...whole, duration_ms, response_body: 'ok' })),
        {
          ...whole,
          duration_ms: 2_147_483_647,
          response_body: expect.stringMatching(/^not recorded: .*out of range/),
        },
      ]);
      const [channel] = await world.rows('SELECT consecutive_failures FROM notification_channels');
      // Each failure counts once, however often its batch was tried.
      expect(channel).toEqual({ consecutive_failures: errorCode === undefined ? 0 : durations.length });
      expect(await incidents()).toEqual([]);
    },
  );
});

describe('an outcome that the database refuses whatever it says', () => {
  let poison: string;

  beforeEach(async () => {
    await world.addChannel(receiver.url);
    poison = await world.emit();
    await world.db.query(
      `CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
         IF EXISTS (SELECT FROM deliveries WHERE id = NEW.delivery_id AND event_id = '${poison}')
         THEN RAISE EXCEPTION 'refused' USING ERRCODE = '22003'; END IF; RETURN NEW; END $$`,
    );
    await world.db.query(
      'CREATE TRIGGER refuse BEFORE INSERT ON delivery_attempts FOR EACH ROW EXECUTE FUNCTION refuse()',
    );
  });

  const named = (status: string) => [
    {
      ...{ kind: 'poison:records', status, subject_type: 'event' },
      ...{ subject_id: poison, project_id: world.projectId },
    },
  ];

  test.each([
    ['successes', 200],
    ['failures', 500],
  ])('is set aside, and the %s beside it are stored', async (_, code) => {
    receiver.answer = (_req, res) => void res.writeHead(code).end('said');
    const others = [await world.emit(), await world.emit()];
    await world.start({ scheduleMs: [0, 3_600_000], failingAfter: 10 });
    await waitFor(async () => (await incidents()).length === 1, { message: 'the incident' });
    expect(await incidents()).toEqual(named('quarantined'));
    for (const eventId of others)
      await waitFor(
        async () =>
          (await world.rows('SELECT FROM deliveries WHERE event_id = $1 AND attempt_count = 1', [eventId]))
            .length === 1,
        { message: 'the outcome of another' },
      );
    // It is not sent again whenever its claim ends.
    const [row] = await world.rows(
      `SELECT status, next_attempt_at > now() + interval '23 hours' AS is_put_off FROM deliveries WHERE event_id = $1`,
      [poison],
    );
    expect(row).toEqual({ status: 'pending', is_put_off: true });

    // On the next day, or after actions/reprocess.
    await world.db.query('DROP TRIGGER refuse ON delivery_attempts');
    receiver.answer = (_req, res) => void res.writeHead(200).end('ok');
    await world.db.query('UPDATE incidents SET retry_at = now()');
    await world.waitForStatus(poison, 'delivered');
    await waitFor(async () => (await incidents())[0]!.status === 'resolved', {
      message: 'it to be resolved',
    });
    expect(await incidents()).toEqual(named('resolved'));
  });

  test('is tried again after a start', async () => {
    await world.start({ scheduleMs: [0, 3_600_000] });
    await waitFor(async () => (await incidents()).length === 1, { message: 'the incident' });
    await world.db.query('DROP TRIGGER refuse ON delivery_attempts');
    await world.start();
    await world.waitForStatus(poison, 'delivered');
  });
});
