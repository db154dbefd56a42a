// SPDX-License-Identifier: Apache-2.0
import { randomUUID } from 'node:crypto';
import { accounts, bodyOf } from '../../spec-support/public-keys.ts';
import { startSpecWorld } from '../../spec-support/spec-world.ts';
import type { SpecWorld } from '../../spec-support/spec-world.ts';

const chain = 'eip155:1';
const address = '0xd8da6bf26964af9d7eed9e03e53415d37aa96045';

/** What is told of the transactions goes on (start-analyzer.deletion.spec.ts). */
describe('an address with transactions that are not final', () => {
  let world: SpecWorld;
  beforeAll(async () => {
    world = await startSpecWorld();
    await world.api.post('/blockchains').send({ chain_gid: chain }).expect(201);
    await world.db.query('INSERT INTO analyzer_states (chain_gid, confirmed_number) VALUES ($1, 100)', [
      chain,
    ]);
  });
  afterAll(() => world.stop());

  /** Told of the address: one that is final, and others that are not. Returns their ids. */
  async function addTransactions(projectId: string, addressId: string): Promise<string[]> {
    const ids: string[] = [];
    for (const [status, block, isFinal] of [
      ['confirmed', 100, true],
      ['confirmed', 101, false],
      ['detected', 90, false],
      ['pending', null, false],
      ['failed', 101, false],
      ['reorged', 101, true],
    ] as const) {
      const id = randomUUID();
      await world.db.query(
        `INSERT INTO transactions (id, project_id, chain_gid, hash, status, direction, required_confirmations, block_number, block_hash, confirmed_at)
         VALUES ($1, $2, $3, $1::uuid::text, $4, 'in', 1, $5::bigint, $5::bigint::text, CASE WHEN $4::text = 'confirmed' THEN now() END)`,
        [id, projectId, chain, status, block],
      );
      await world.db.query('INSERT INTO transaction_addresses (address_id, transaction_id) VALUES ($1, $2)', [
        addressId,
        id,
      ]);
      if (!isFinal) ids.push(id);
    }
    return ids.sort();
  }
  const kept = async (addressId: string) =>
    (
      await world.db.query<{ transaction_id: string; address: string; groups: string[] }>(
        'SELECT transaction_id, address, groups FROM transaction_tombstones WHERE address_id = $1 ORDER BY transaction_id',
        [addressId],
      )
    ).rows;

  it('leaves for them what their events need, and nothing else', async () => {
    const { body } = await world.api
      .post('/addresses/external')
      .send({ value: address, chain_family: 'evm', label: 'Till', groups: ['shop-7'], metadata: { a: 1 } })
      .expect(201);
    const ids = await addTransactions(world.project.projectId, body.id);
    await world.api.delete(`/addresses/${address}`).expect(204);
    expect(await kept(body.id)).toEqual(
      ids.map((transaction_id) => ({ transaction_id, address, groups: ['shop-7'] })),
    );
    await world.api.get(`/addresses/${address}`).expect(404);
    expect((await world.api.get('/addresses').expect(200)).body.meta.total).toBe(0);
    expect((await world.api.get(`/transactions?addresses=${address}`).expect(200)).body.items).toEqual([]);
    // Added again it is another one.
    const again = await world.api
      .post('/addresses/external')
      .send({ value: address, chain_family: 'evm' })
      .expect(201);
    expect(again.body.id).not.toBe(body.id);
    await world.api.delete(`/addresses/${address}`).expect(204);
  });

  it('leaves it too where it goes with its public key', async () => {
    const { body: key } = await world.api.post('/public_keys').send(bodyOf(accounts.bip84)).expect(201);
    await world.api.post(`/public_keys/${key.id}/addresses`).send({ from: 0, to: 0 }).expect(201);
    const { rows } = await world.db.query<{ id: string }>(
      'SELECT id FROM addresses WHERE public_key_id = $1',
      [key.id],
    );
    const ids = await addTransactions(world.project.projectId, rows[0]!.id);
    await world.api.delete(`/public_keys/${key.id}?cascade=true`).expect(204);
    expect((await kept(rows[0]!.id)).map(({ transaction_id }) => transaction_id)).toEqual(ids);
  });

  it('leaves nothing where the whole project goes', async () => {
    const { body: project } = await world.management
      .post('/management/projects')
      .send({ name: 'p' })
      .expect(201);
    const { rows } = await world.db.query<{ id: string }>(
      `INSERT INTO addresses (project_id, chain_family, address, display, kind, format) VALUES ($1, 'evm', $2, $2, 'external', 'evm') RETURNING id`,
      [project.id, address],
    );
    await addTransactions(project.id, rows[0]!.id);
    await world.management.delete(`/management/projects/${project.id}?cascade=true`).expect(204);
    expect(await kept(rows[0]!.id)).toEqual([]);
  });
});
