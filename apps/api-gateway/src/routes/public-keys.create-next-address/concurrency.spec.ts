// SPDX-License-Identifier: Apache-2.0
import { startSpecWorld } from '../../spec-support/spec-world.ts';
import type { Client, SpecWorld } from '../../spec-support/spec-world.ts';
import { accounts, bodyOf } from '../../spec-support/public-keys.ts';

describe('next addresses that are asked for at once, of two instances', () => {
  let world: SpecWorld;
  let second: SpecWorld;
  beforeAll(async () => {
    world = await startSpecWorld();
    second = await startSpecWorld({ sharing: world });
  });
  afterAll(async () => {
    await second.stop();
    await world.stop();
  });
  const add = async (account: { key: string; path: string }): Promise<string> =>
    (await world.api.post('/public_keys').send(bodyOf(account)).expect(201)).body.id;
  const clients = (): Client[] => [world.api, second.api];

  it('never gives one twice and leaves no hole', async () => {
    const id = await add(accounts.bip84);
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, count) =>
        clients()
          [count % 2]!.post(`/public_keys/${id}/addresses${count % 4 < 2 ? '/next' : ''}`)
          .expect(201),
      ),
    );
    const records = answers.map(({ body }) => body.items?.[0] ?? body);
    expect(records.map(({ index }) => index).sort((a, b) => a - b)).toEqual(
      Array.from({ length: 50 }, (_, index) => index),
    );
    expect(new Set(records.map(({ address }) => address)).size).toBe(50);
    expect((await second.api.get(`/public_keys/${id}`).expect(200)).body).toMatchObject({
      next_index: 50,
      address_count: 50,
    });
  });

  it('creates each address of overlapping lists once', async () => {
    const id = await add(accounts.bip86);
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, count) =>
        clients()
          [count % 2]!.post(`/public_keys/${id}/addresses`)
          .send({ from: count, to: count + 9 })
          .expect(201),
      ),
    );
    expect(answers.map(({ body }) => body.items.length)).toEqual(Array.from({ length: 10 }, () => 10));
    expect(answers.reduce((sum, { body }) => sum + body.created_count, 0)).toBe(19);
    expect((await world.api.get(`/public_keys/${id}`).expect(200)).body).toMatchObject({
      next_index: 19,
      address_count: 19,
    });
  });

  it.each([1, 2, 3, 4, 5])('leaves nothing behind (time %i) of a key that is deleted meanwhile', async () => {
    const id = await add(accounts.bip49);
    const answers = await Promise.all([
      ...Array.from({ length: 10 }, (_, count) =>
        clients()[count % 2]!.post(`/public_keys/${id}/addresses/next`),
      ),
      second.api.delete(`/public_keys/${id}?cascade=true`),
    ]);
    expect(answers.at(-1)?.status).toBe(204);
    for (const { status } of answers.slice(0, -1)) expect([201, 404]).toContain(status);
    expect(
      (await world.db.query('SELECT count(*) AS count FROM addresses WHERE public_key_id = $1', [id])).rows[0]
        .count,
    ).toBe(0);
    expect([...world.failures, ...second.failures]).toEqual([]);
  });
});
