// SPDX-License-Identifier: Apache-2.0
import { startSpecWorld, type SpecWorld } from '../../spec-support/spec-world.ts';
import { STRANGER, StatementLedger, timeOf } from '../../spec-support/statement-ledger.ts';

const PERIOD = { from: timeOf(10), to: timeOf(30) };
const ID = '6f1d1f4e-0000-4000-8000-000000000001';

let world: SpecWorld;
let address: string;
beforeAll(async () => {
  world = await startSpecWorld();
  const ledger = new StatementLedger(world);
  await ledger.addChain(40);
  ({ address } = await ledger.addAddress(world.api));
});
afterAll(() => world.stop());

const ask = (body: object) => world.api.post('/statements').send({ ...PERIOD, ...body });

it('names the addresses that the project does not have', async () => {
  const { body } = await ask({ addresses: [address, STRANGER, 'nonsense'] }).expect(422);
  expect(body.fields).toEqual([
    { name: 'addresses', reason: `expected addresses of the project, got ${STRANGER}` },
    { name: 'addresses', reason: 'expected addresses of the project, got nonsense' },
  ]);
});

it.each([
  ['group', { group: 'nobody' }],
  ['public_key_id', { public_key_id: ID }],
  ['chain_gids', { chain_gids: ['eip155:1'] }],
])('names %s that selects nothing here', async (name, body) => {
  const { body: problem } = await ask({
    ...(name === 'chain_gids' && { addresses: [address] }),
    ...body,
  }).expect(422);
  expect(problem.fields).toMatchObject([{ name }]);
});

it.each([
  ['addresses', {}],
  ['group', { addresses: [STRANGER], group: 'a' }],
  ['addresses', { addresses: Array.from({ length: 1_001 }, () => STRANGER) }],
  ['to', { group: 'a', from: timeOf(30), to: timeOf(30) }],
  ['to', { group: 'a', from: '2024-01-01T00:00:00Z', to: '2025-01-02T00:00:01Z' }],
  ['to', { group: 'a', from: new Date().toISOString(), to: new Date(Date.now() + 3_600_000).toISOString() }],
  ['format', { group: 'a', format: 'pdf' }],
])('is 400 that names %s', async (name, body) => {
  const { body: problem } = await ask(body).expect(400);
  expect(problem.fields.map((field: { name: string }) => field.name)).toContain(name);
});

it('is 429 for the third statement of a workspace that is not finished, and taken once one is gone', async () => {
  const { body } = await ask({ addresses: [address] }).expect(202);
  await ask({ addresses: [address] }).expect(202);
  const refused = await ask({ addresses: [address] }).expect(429);
  expect(refused.headers['retry-after']).toBe('10');
  await world.api.get(`/statements/${body.id}/download`).expect(409);
  await world.api.delete(`/statements/${body.id}`).expect(204);
  await ask({ addresses: [address] }).expect(202);
});

it('is 503 that says what to do where the installation has no key', async () => {
  const without = await startSpecWorld({ sharing: world, hasNoStatements: true });
  try {
    const { body } = await without.api
      .post('/statements')
      .send({ addresses: [address], ...PERIOD })
      .expect(503);
    expect(body.detail).toContain('set STATEMENT_KEY');
  } finally {
    await without.stop();
  }
});
