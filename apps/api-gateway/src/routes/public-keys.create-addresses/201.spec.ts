// SPDX-License-Identifier: Apache-2.0
import { accounts, bitcoin, bitcoinTestnet, bodyOf } from '../../spec-support/public-keys.ts';
import { startSpecWorld } from '../../spec-support/spec-world.ts';
import type { SpecWorld } from '../../spec-support/spec-world.ts';

const indexMax = 2 ** 31 - 1;

interface HdRecord {
  id: string;
  address: string;
  index: number;
  beyond_gap_limit: boolean;
}

describe('HD addresses of a public key', () => {
  let world: SpecWorld;
  let id: string;
  beforeAll(async () => {
    world = await startSpecWorld();
    for (const gid of [bitcoin, bitcoinTestnet, 'eip155:1'])
      await world.api.post('/blockchains').send({ chain_gid: gid }).expect(201);
    await world.db.query('UPDATE blockchains SET is_active = true');
    await world.db.query(
      `INSERT INTO ingestor_states (chain_gid, head_number) SELECT gid, 800000 FROM blockchains`,
    );
    id = (
      await world.api
        .post('/public_keys')
        .send({ ...bodyOf(accounts.bip84), gap_limit: 5 })
        .expect(201)
    ).body.id;
  });
  afterAll(() => world.stop());
  const generate = async (body?: object, key = id) =>
    (await world.api.post(`/public_keys/${key}/addresses`).send(body).expect(201)).body;
  const indexesOf = (items: HdRecord[]): number[] => items.map(({ index }) => index);

  it('registers the next address as an imported one: watched from the head, its balance read, its coins looked for', async () => {
    const { items, created_count, existing_count } = await generate();
    expect([created_count, existing_count]).toEqual([1, 0]);
    const [record] = items;
    expect(record).toMatchObject({
      address: accounts.bip84.first,
      kind: 'hd',
      chain_family: 'bitcoin',
      format: 'p2wpkh',
      label: null,
      metadata: {},
      is_monitored: true,
      watched_from: { [bitcoin]: 800_000 },
      public_key_id: id,
      derivation_path: "m/84'/0'/0'/0/0",
      index: 0,
      change: 0,
      is_used: false,
      beyond_gap_limit: false,
      backfill: {
        status: 'pending',
        from_block: 0,
        chains: {
          [bitcoin]: {
            status: 'pending',
            from_block: 0,
            method: null,
            next_block: null,
            to_block: null,
            coin_count: 0,
            reason: null,
          },
        },
      },
    });
    const { rows: reads } = await world.db.query(
      'SELECT chain_gid, address_id, asset_gid, reason FROM balance_reads',
    );
    expect(reads).toEqual([
      { chain_gid: bitcoin, address_id: record.id, asset_gid: null, reason: 'imported' },
    ]);
    const { rows: backfills } = await world.db.query(
      'SELECT chain_gid, address_id, status, from_block FROM address_backfills',
    );
    expect(backfills).toEqual([
      { chain_gid: bitcoin, address_id: record.id, status: 'pending', from_block: 0 },
    ]);
    expect(world.published.filter(({ kind }) => kind === 'address.watched')).toEqual([
      {
        kind: 'address.watched',
        tokens: ['bitcoin'],
        payload: {
          schema: 1,
          address_id: record.id,
          project_id: world.project.projectId,
          address: record.address,
          is_monitored: true,
        },
      },
    ]);
    for (const path of [`/addresses/${record.address}`, `/addresses/${record.address.toUpperCase()}/hd`])
      expect((await world.api.get(path).expect(200)).body).toEqual(record);
    await world.api.get(`/addresses/${record.address}/external`).expect(404);
    await world.api
      .post('/addresses/external')
      .send({ value: record.address, chain_family: 'bitcoin' })
      .expect(409);
  });

  it('takes a list, a range or nothing, and returns what exists already as it is', async () => {
    const list = await generate({ indexes: [7, 0, 2, 7] });
    expect([indexesOf(list.items), list.created_count, list.existing_count]).toEqual([[7, 0, 2], 2, 1]);
    const range = await generate({ from: 1, to: 3 });
    expect([indexesOf(range.items), range.created_count, range.existing_count]).toEqual([[1, 2, 3], 2, 1]);
    expect(indexesOf((await generate({})).items)).toEqual([8]);
    expect((await world.api.post(`/public_keys/${id}/addresses/next`).expect(201)).body).toMatchObject({
      index: 9,
      change: 0,
    });
    const change = await generate({ from: 0, to: 1, change: 1 });
    expect(change.items[0]).toMatchObject({
      address: 'bc1q8c6fshw2dlwun7ekn9qwf37cu2rn755upcp6el',
      change: 1,
      derivation_path: "m/84'/0'/0'/1/0",
    });
    expect(
      (await world.api.post(`/public_keys/${id}/addresses/next`).send({ change: 1 }).expect(201)).body,
    ).toMatchObject({ index: 2, change: 1 });
    expect((await world.api.get(`/public_keys/${id}`).expect(200)).body).toMatchObject({
      next_index: 10,
      address_count: 10,
      last_used_index: null,
    });
  });

  it('keeps book of the gap limit, for receive and change addresses apart', async () => {
    const beyond = async (change: number) => {
      const { body } = await world.api.get(`/public_keys/${id}/addresses?change=${change}`).expect(200);
      return body.items.filter((item: HdRecord) => item.beyond_gap_limit).map(({ index }: HdRecord) => index);
    };
    await generate({ indexes: [5], change: 1 });
    expect(await beyond(0)).toEqual([7, 8, 9]);
    expect(await beyond(1)).toEqual([5]);
    await world.db.query(
      'UPDATE addresses SET is_used = true WHERE derivation_change = 0 AND derivation_index IN (1, 3)',
    );
    expect(await beyond(0)).toEqual([9]);
    expect(await beyond(1)).toEqual([5]);
    expect((await world.api.get(`/public_keys/${id}`).expect(200)).body).toMatchObject({
      last_used_index: 3,
    });
    expect(
      (await world.api.get('/addresses/hd?is_used=true&sort_by=index').expect(200)).body.items.map(
        ({ index }: HdRecord) => index,
      ),
    ).toEqual([1, 3]);
  });

  it('lists by index, or as asked', async () => {
    const list = async (query: string, path = `/public_keys/${id}/addresses`) =>
      (await world.api.get(`${path}?${query}`).expect(200)).body;
    expect(indexesOf((await list('change=0')).items)).toEqual([0, 1, 2, 3, 7, 8, 9]);
    expect(indexesOf((await list('')).items)).toEqual([0, 0, 1, 1, 2, 2, 3, 5, 7, 8, 9]);
    expect(await list('sort_by=-index&limit=2&page=2&change=0')).toMatchObject({
      items: [{ index: 7 }, { index: 3 }],
      meta: { limit: 2, page: 2, total: 7, total_pages: 4 },
    });
    expect((await list(`search=${accounts.bip84.first.slice(4, 20)}`)).items).toHaveLength(1);
    expect((await list('formats=p2tr')).items).toEqual([]);
    expect((await list('is_monitored=false')).items).toEqual([]);
    const other = (await world.api.post('/public_keys').send(bodyOf(accounts.bip86)).expect(201)).body.id;
    await generate({ indexes: [4] }, other);
    await world.api
      .post('/addresses/external')
      .send({ value: accounts.bip44.first, chain_family: 'bitcoin' })
      .expect(201);
    expect(indexesOf((await list('formats=p2tr', '/addresses/hd')).items)).toEqual([4]);
    expect((await list('', '/addresses/hd')).meta.total).toBe(12);
    expect((await list(`public_key_id=${other}`, '/addresses/hd')).meta.total).toBe(1);
    expect((await list(`public_key_id=${other}`, '/addresses')).meta.total).toBe(1);
    expect((await list('kind=hd', '/addresses')).meta.total).toBe(12);
    expect((await list('kind=external', '/addresses')).meta.total).toBe(1);
    expect((await list('sort_by=index&limit=100', '/addresses')).items.at(-1).kind).toBe('external');
    expect(
      (await list('sort_by=-index&limit=100', '/addresses')).items.map(
        ({ kind, index }: HdRecord & { kind: string }) => index ?? kind,
      ),
    ).toEqual([9, 8, 7, 5, 4, 3, 2, 2, 1, 1, 0, 0, 'external']);
    expect((await world.other.get('/addresses/hd').expect(200)).body.meta.total).toBe(0);
  });

  it('makes an imported address HD when it is derived, and keeps what is known of it', async () => {
    const { body: imported } = await world.api
      .post('/addresses/external')
      .send({ value: 'bc1qnjg0jd8228aq7egyzacy8cys3knf9xvrerkf9g', chain_family: 'bitcoin' })
      .expect(409);
    expect(imported.title).toBe('Conflict');
    const key = (await world.other.post('/public_keys').send(bodyOf(accounts.bip84)).expect(201)).body.id;
    const external = (
      await world.other
        .post('/addresses/external')
        .send({
          value: 'bc1qnjg0jd8228aq7egyzacy8cys3knf9xvrerkf9g',
          chain_family: 'bitcoin',
          label: 'till',
          metadata: { a: 1 },
        })
        .expect(201)
    ).body;
    await world.db.query(
      `INSERT INTO transactions (id, project_id, chain_gid, hash, status, direction, required_confirmations) VALUES ($1, $2, $3, 'aa', 'detected', 'in', 6)`,
      ['00000000-0000-4000-8000-000000000001', world.otherProject.projectId, bitcoin],
    );
    await world.db.query('INSERT INTO transaction_addresses (address_id, transaction_id) VALUES ($1, $2)', [
      external.id,
      '00000000-0000-4000-8000-000000000001',
    ]);
    // Another one has a coin from before it was imported.
    const [, , third] = (await generate({ indexes: [0, 1, 2] })).items;
    await world.other
      .post('/addresses/external')
      .send({ value: third!.address, chain_family: 'bitcoin' })
      .expect(201);
    await world.db.query(
      `INSERT INTO utxos (chain_gid, txid, vout, address, amount_raw, block_number) VALUES ($1, 'aa', 0, $2, 1, 5)`,
      [bitcoin, third!.address],
    );
    await world.db.query('UPDATE ingestor_states SET head_number = 800005');
    const { body } = await world.other
      .post(`/public_keys/${key}/addresses`)
      .send({ from: 0, to: 2 })
      .expect(201);
    expect(body.items.map((item: { is_used: boolean }) => item.is_used)).toEqual([false, true, true]);
    // Two were there, as imported ones: they count as existing, and the change of their kind is written down.
    expect(body).toMatchObject({ created_count: 1, existing_count: 2 });
    const { items: entries } = (
      await world.otherManagement.get('/management/audit_logs?actions=address.derived').expect(200)
    ).body;
    expect(
      entries.map(({ target, changes }: { target: unknown; changes: unknown }) => ({ target, changes })),
    ).toEqual(
      expect.arrayContaining(
        [body.items[1].id, body.items[2].id].map((target) => ({
          target: { type: 'address', id: target },
          changes: { kind: { from: 'external', to: 'hd' } },
        })),
      ),
    );
    expect(entries).toHaveLength(2);
    expect(body.items[1]).toMatchObject({
      id: external.id,
      kind: 'hd',
      index: 1,
      label: 'till',
      metadata: { a: 1 },
      watched_from: { [bitcoin]: 800_000 },
      is_used: true,
      created_at: external.created_at,
    });
    expect(body.items[0].watched_from).toEqual({ [bitcoin]: 800_005 });
    expect((await world.other.get(`/transactions?public_key_id=${key}`).expect(200)).body.meta.total).toBe(1);
    expect((await world.api.get(`/transactions?public_key_id=${id}`).expect(200)).body.meta.total).toBe(0);
  });

  it('changes and deletes a derived address as any other, and derives it again', async () => {
    const address = 'bc1qnjg0jd8228aq7egyzacy8cys3knf9xvrerkf9g';
    expect(
      (
        await world.api
          .patch(`/addresses/${address}`)
          .send({ label: 'till', is_monitored: false })
          .expect(200)
      ).body,
    ).toMatchObject({ kind: 'hd', label: 'till', is_monitored: false });
    await world.api.delete(`/addresses/${address}`).expect(204);
    await world.api.get(`/addresses/${address}/hd`).expect(404);
    const { items, created_count } = await generate({ indexes: [0, 1] });
    expect(created_count).toBe(1);
    expect(items[1]).toMatchObject({ address, label: null, is_monitored: true, index: 1 });
  });

  it('goes to the last index, and no further', async () => {
    const key = (await world.api.post('/public_keys').send(bodyOf(accounts.testnet)).expect(201)).body.id;
    expect(indexesOf((await generate({ from: indexMax - 1, to: indexMax - 1 }, key)).items)).toEqual([
      indexMax - 1,
    ]);
    expect((await world.api.post(`/public_keys/${key}/addresses/next`).expect(201)).body).toMatchObject({
      index: indexMax,
      beyond_gap_limit: true,
    });
    expect((await world.api.get(`/public_keys/${key}`).expect(200)).body.next_index).toBeNull();
    for (const path of ['', '/next'])
      expect(
        (await world.api.post(`/public_keys/${key}/addresses${path}`).expect(422)).body.detail,
      ).toContain('no index left');
  });

  it('generates a thousand in one call', async () => {
    const key = (await world.other.post('/public_keys').send(bodyOf(accounts.bip49)).expect(201)).body.id;
    const { body } = await world.other
      .post(`/public_keys/${key}/addresses`)
      .send({ from: 0, to: 999 })
      .expect(201);
    expect([body.items.length, body.created_count, body.existing_count]).toEqual([1_000, 1_000, 0]);
    expect(body.items[0].address).toBe(accounts.bip49.first);
    const { rows } = await world.db.query(
      'SELECT count(*) AS count FROM address_watches w JOIN addresses a ON a.id = w.address_id WHERE a.public_key_id = $1',
      [key],
    );
    expect(rows[0].count).toBe(1_000);
    const again = await world.other
      .post(`/public_keys/${key}/addresses`)
      .send({ from: 0, to: 999 })
      .expect(201);
    expect(again.body).toEqual({ items: body.items, created_count: 0, existing_count: 1_000 });
  });
});
