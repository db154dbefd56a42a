// SPDX-License-Identifier: Apache-2.0
import { startSpecWorld } from '../spec-support/spec-world.ts';
import type { SpecWorld } from '../spec-support/spec-world.ts';

interface Item {
  readonly created_at: string;
  readonly id?: string;
  readonly event_id?: string;
}

const nameOf = (item: Item): string => item.id ?? item.event_id!;

describe('since and until', () => {
  let world: SpecWorld;
  let channelId: string;
  beforeAll(async () => {
    world = await startSpecWorld();
    const { body } = await world.api
      .post('/notification_channels/webhook')
      .send({ name: 'times', url: 'http://127.0.0.1:9/' })
      .expect(201);
    channelId = body.id;
    for (let index = 0; index < 12; index += 1)
      await world.api.post(`/channels/${channelId}/actions/test`).send({}).expect(202);
    for (let index = 0; index < 8; index += 1)
      await world.management
        .patch('/management/workspace')
        .send({ name: `Times ${index}` })
        .expect(200);
  });
  afterAll(() => world.stop());

  it.each([
    ['/events?is_test=true', 'api'],
    ['/notification_channels/CHANNEL/deliveries?sort_by=-created_at', 'api'],
    ['/management/audit_logs?sort_by=-created_at', 'management'],
  ] as const)(
    '%s: compare the time that is shown, since inclusive, until exclusive',
    async (path, client) => {
      const list = async (query: string): Promise<Item[]> =>
        (await world[client].get(`${path.replace('CHANNEL', channelId)}${query}`).expect(200)).body.items;
      const all = await list('&limit=100');
      expect(all.length).toBeGreaterThanOrEqual(8);
      for (const item of all) {
        const since = await list(`&limit=100&since=${item.created_at}`);
        expect(since.map(nameOf)).toContain(nameOf(item));
        expect(since.every(({ created_at }) => created_at >= item.created_at)).toBe(true);
        const until = await list(`&limit=100&until=${item.created_at}`);
        expect(until.map(nameOf)).not.toContain(nameOf(item));
        expect(since.length + until.length).toBe(all.length);
      }
      expect(all.map(({ created_at }) => created_at)).toEqual(
        all
          .map(({ created_at }) => created_at)
          .sort()
          .reverse(),
      );
    },
  );

  it('leaves test messages out of the events, unless asked for', async () => {
    const total = async (query: string): Promise<number> =>
      (await world.api.get(`/events?${query}`).expect(200)).body.meta.total;
    expect([
      await total(''),
      await total('is_test=false'),
      await total('is_test=true'),
      await total('is_test=true&types=balance.changed'),
    ]).toEqual([0, 0, 12, 0]);
    expect(
      (await world.api.get('/events?is_test=true&limit=3').expect(200)).body.items.map(
        ({ is_test_message }: { is_test_message: boolean }) => is_test_message,
      ),
    ).toEqual([true, true, true]);
  });
});
