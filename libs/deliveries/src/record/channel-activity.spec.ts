// SPDX-License-Identifier: Apache-2.0
import { randomUUID } from 'node:crypto';
import type { Sql } from '@chainwatch/data/db';
import { waitFor } from '@chainwatch/testing';
import type { Receiver } from '@chainwatch/data/testing';
import { giveWorlds, type World } from '../spec-world.ts';
import { ChannelActivity } from './channel-activity.ts';
import type { FinishedAttempt } from './decide-outcome.ts';

let world: World;
let receiver: Receiver;
giveWorlds((given) => ({ world, receiver } = given));

interface Row {
  readonly minutes: number;
  readonly delivered: number;
  readonly failed: number;
  readonly calls: number;
  readonly is_timed: boolean;
}

const readActivity = (channelId: string) =>
  world.rows<Row>(
    `SELECT minutes, sum(delivered)::int AS delivered, sum(failed)::int AS failed,
       (SELECT sum(c)::int FROM channel_activity o, unnest(o.latency_counts) AS c WHERE o.channel_id = $1 AND o.minutes = a.minutes) AS calls,
       bool_and(latency_ms > 0 AND at = date_trunc(CASE minutes WHEN 1 THEN 'minute' ELSE 'hour' END, at)) AS is_timed
     FROM channel_activity a WHERE channel_id = $1 GROUP BY minutes ORDER BY minutes`,
    [channelId],
  );

const eachUnit = (row: object): object[] => [1, 60].map((minutes) => ({ minutes, ...row }));

describe('what charts show', () => {
  it('has each attempt of a channel once, by the minute and by the hour, and no test', async () => {
    const channelId = await world.addChannel(receiver.url);
    receiver.answer = (_, res) => {
      res.statusCode = receiver.requests.length % 3 === 2 ? 500 : 200;
      res.end();
    };
    for (let index = 0; index < 3; index += 1) {
      const eventId = randomUUID();
      await world.db.query(
        `INSERT INTO event_log (event_id, project_id, type, sequence, subject_kind, payload) VALUES ($1, $2, 'transaction.detected', 0, 'test', '{"is_test_message":true}')`,
        [eventId, world.projectId],
      );
      await world.db.query(
        `INSERT INTO deliveries (project_id, channel_id, event_id, event_type, status, is_test) VALUES ($1, $2, $3, 'transaction.detected', 'pending', true)`,
        [world.projectId, channelId, eventId],
      );
    }
    const engine = await world.start({ scheduleMs: Array.from({ length: 9 }, () => 20), failingAfter: 100 });
    for (let index = 0; index < 20; index += 1) await world.emit();
    const countDone = async (isTest: boolean): Promise<number> =>
      (
        await world.rows(
          `SELECT FROM deliveries WHERE channel_id = $1 AND is_test = $2 AND status IN ('delivered', 'failed')`,
          [channelId, isTest],
        )
      ).length;
    await waitFor(async () => (await countDone(false)) === 20 && (await countDone(true)) === 3);
    await engine.stop();
    const [attempts] = await world.rows<{ delivered: number; failed: number }>(
      `SELECT count(*) FILTER (WHERE error_code IS NULL)::int AS delivered, count(*) FILTER (WHERE error_code IS NOT NULL)::int AS failed
       FROM delivery_attempts a JOIN deliveries d ON d.id = a.delivery_id WHERE d.channel_id = $1 AND NOT d.is_test`,
      [channelId],
    );
    expect(attempts).toMatchObject({ delivered: 20 });
    expect(attempts!.failed).toBeGreaterThan(5);
    expect(await readActivity(channelId)).toEqual(
      eachUnit({ ...attempts, calls: attempts!.delivered + attempts!.failed, is_timed: true }),
    );
  });

  it('is stored after the database was away, and leaves deleted channels out', async () => {
    const [channelId, deleted] = [await world.addChannel(receiver.url), await world.addChannel(receiver.url)];
    let isAway = true;
    const warned: string[] = [];
    const activity = new ChannelActivity({
      db: {
        query: (async (...args: Parameters<Sql['query']>) => {
          if (isAway) throw new Error('away');
          return world.db.query(...args);
        }) as Sql['query'],
      },
      logger: { warn: (_: object, message: string) => void warned.push(message) },
      now: Date.now,
    });
    const add = (of: string): void =>
      activity.add([
        {
          job: { channelId: of, isTest: false } as FinishedAttempt['job'],
          attempt: { durationMs: 7, errorCode: undefined } as FinishedAttempt['attempt'],
          isChannelClean: true,
        },
      ]);
    for (const of of [channelId, channelId, deleted]) add(of);
    await world.db.query('DELETE FROM notification_channels WHERE id = $1', [deleted]);
    await activity.stop();
    expect(warned).toEqual(['failed to store channel activity, will retry']);
    isAway = false;
    add(channelId);
    await activity.stop();
    expect(await readActivity(channelId)).toEqual(
      eachUnit({ delivered: 3, failed: 0, calls: 3, is_timed: true }),
    );
    expect(await readActivity(deleted)).toEqual([]);
  });
});
