// SPDX-License-Identifier: Apache-2.0
import { startSpecWorld } from '../spec-support/spec-world.ts';
import type { SpecWorld } from '../spec-support/spec-world.ts';

/** Below U+0080 every locale knows the cases; beyond, only those with a language do, and C is none. */
const NAMES = ['ÉCLAIR', 'Привет', 'Zürich', 'ΑΘΗΝΑ', 'apple', 'Banana', 'äpfel', 'Zebra'];

describe('text of people, on a server without a language', () => {
  let world: SpecWorld;
  beforeAll(async () => {
    world = await startSpecWorld();
    const { rows } = await world.db.query<{ datcollate: string }>(
      'SELECT datcollate FROM pg_database WHERE datname = current_database()',
    );
    expect(rows[0]!.datcollate).toBe('C');
    for (const [index, name] of NAMES.entries()) {
      await world.api
        .post('/notification_channels/webhook')
        .send({ name, url: 'http://127.0.0.1:9/' })
        .expect(201);
      await world.api
        .post('/addresses/external')
        .send({ value: `0x${String(index + 1).padStart(40, '0')}`, chain_family: 'evm', label: name })
        .expect(201);
      await world.management.post('/management/projects').send({ name }).expect(201);
    }
  });
  afterAll(() => world.stop());

  it.each([
    ['api', '/notification_channels', 'name'],
    ['api', '/addresses', 'label'],
    ['management', '/management/projects', 'name'],
  ] as const)(
    '%s %s is searched without regard to case, and sorted as a dictionary is',
    async (client, path, member) => {
      const read = async (query: string): Promise<string[]> =>
        (await world[client].get(`${path}?${query}`).expect(200)).body.items.map(
          (item: Record<string, string>) => item[member],
        );
      for (const [search, name] of [
        ['éclair', 'ÉCLAIR'],
        ['ПРИВЕТ', 'Привет'],
        ['ZÜRICH', 'Zürich'],
        ['αθην', 'ΑΘΗΝΑ'],
      ] as const) {
        expect([search, await read(`search=${encodeURIComponent(search)}`)]).toEqual([search, [name]]);
      }
      const sorted = (await read(`sort_by=${member}&limit=100`)).filter((name) => NAMES.includes(name));
      expect(sorted).toEqual(['äpfel', 'apple', 'Banana', 'ÉCLAIR', 'Zebra', 'Zürich', 'ΑΘΗΝΑ', 'Привет']);
    },
  );
});
