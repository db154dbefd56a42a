// SPDX-License-Identifier: Apache-2.0
import { accounts, bodyOf } from '../../spec-support/public-keys.ts';
import { startSpecWorld } from '../../spec-support/spec-world.ts';
import type { SpecWorld } from '../../spec-support/spec-world.ts';

describe('POST /public_keys/{id}/addresses with what is no index', () => {
  let world: SpecWorld;
  let id: string;
  beforeAll(async () => {
    world = await startSpecWorld();
    id = (await world.api.post('/public_keys').send(bodyOf(accounts.bip84)).expect(201)).body.id;
  });
  afterAll(() => world.stop());

  it.each([
    ['indexes', { indexes: [] }, 'at least 1 item'],
    ['indexes', { indexes: Array.from({ length: 1_001 }, (_, index) => index) }, 'at most 1000 items'],
    ['indexes[0]', { indexes: [-1] }, 'at least 0'],
    ['indexes[1]', { indexes: [0, 2 ** 31] }, 'at most 2147483647'],
    ['indexes[0]', { indexes: ['0'] }, 'expected a number'],
    ['indexes[0]', { indexes: [0.5] }, 'expected an integer'],
    ['indexes', { indexes: [1], from: 0, to: 1 }, 'got both'],
    ['to', { from: 0 }, 'got nothing'],
    ['from', { to: 0 }, 'got nothing'],
    ['to', { from: 5, to: 4 }, 'expected at least 5, the value of from, got 4'],
    ['to', { from: 0, to: 1_000 }, 'at most 1000 addresses a call, got 1001'],
    ['to', { from: 0, to: 2 ** 31 }, 'at most 2147483647'],
    ['change', { change: 2 }, 'expected'],
    ['count', { count: 3 }, 'expected no'],
  ])('names the field %s', async (field, body, reason) => {
    const { body: problem } = await world.api.post(`/public_keys/${id}/addresses`).send(body).expect(400);
    expect(problem.fields).toContainEqual({ name: field, reason: expect.stringContaining(reason) });
    expect((await world.api.get(`/public_keys/${id}`).expect(200)).body.address_count).toBe(0);
  });

  it.each([{ change: 2 }, { index: 3 }, []])('refuses %j for the next one', async (body) => {
    await world.api.post(`/public_keys/${id}/addresses/next`).send(body).expect(400);
  });

  it.each(['', '/next'])('is 404 for a key that is not there', async (suffix) => {
    await world.api.post(`/public_keys/00000000-0000-4000-8000-000000000000/addresses${suffix}`).expect(404);
  });
});
