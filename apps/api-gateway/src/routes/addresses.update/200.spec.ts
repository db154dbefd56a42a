// SPDX-License-Identifier: Apache-2.0
import { startSpecWorld } from '../../spec-support/spec-world.ts';
import type { SpecWorld } from '../../spec-support/spec-world.ts';

const lower = '0xd8da6bf26964af9d7eed9e03e53415d37aa96045';
const display = '0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045';
const second = '0x00000000219ab540356cbb839cbe05303d7705fa';
const gid = 'eip155:31337';

describe('one address and the list of them', () => {
  let world: SpecWorld;
  let id: string;
  beforeAll(async () => {
    world = await startSpecWorld();
    await world.api.post('/blockchains').send({ chain_gid: gid }).expect(201);
    await world.db.query(`UPDATE blockchains SET is_active = true`);
    await world.db.query(`INSERT INTO ingestor_states (chain_gid, head_number) VALUES ($1, 10)`, [gid]);
    id = (
      await world.api
        .post('/addresses/external')
        .send({ value: lower, chain_family: 'evm', label: 'First' })
        .expect(201)
    ).body.id;
    await world.api
      .post('/addresses/external')
      .send({ value: second, chain_family: 'evm', label: 'Second' })
      .expect(201);
  });
  afterAll(() => world.stop());

  it.each([lower, display, lower.toUpperCase().replace('0X', '0x')])('is found as %s', async (form) => {
    const { body } = await world.api.get(`/addresses/${form}`).expect(200);
    expect(body).toMatchObject({ id, address: display });
    expect((await world.api.get(`/addresses/${form}/external`).expect(200)).body).toEqual(body);
    await world.api.get(`/addresses/${form}/hd`).expect(404);
  });

  it.each(['', '/external', '/hd', '/balances'])('is 404 when nobody imported it: %s', async (suffix) => {
    await world.api.get(`/addresses/0x0000000000000000000000000000000000000001${suffix}`).expect(404);
  });

  it('changes its label and metadata, each alone', async () => {
    expect(
      (
        await world.api
          .patch(`/addresses/${display}`)
          .send({ metadata: { a: [1, null] } })
          .expect(200)
      ).body,
    ).toMatchObject({ label: 'First', metadata: { a: [1, null] } });
    expect(
      (await world.api.patch(`/addresses/${display}`).send({ label: null }).expect(200)).body,
    ).toMatchObject({ label: null, metadata: { a: [1, null] } });
    expect(
      (await world.api.patch(`/addresses/${display}`).send({ label: 'Once' }).expect(200)).body.label,
    ).toBe('Once');
  });

  it('counts from the head of now when it is monitored again', async () => {
    const versionOf = async () =>
      (await world.db.query('SELECT watch_xid::text FROM addresses WHERE id = $1', [id])).rows[0].watch_xid;
    const before = await versionOf();
    world.published.length = 0;
    expect(
      (await world.api.patch(`/addresses/${lower}`).send({ is_monitored: false }).expect(200)).body,
    ).toMatchObject({ is_monitored: false, watched_from: { [gid]: 10 } });
    expect(await versionOf()).not.toBe(before);
    await world.db.query('UPDATE ingestor_states SET head_number = 25');
    expect(
      (await world.api.patch(`/addresses/${lower}`).send({ is_monitored: true }).expect(200)).body,
    ).toMatchObject({ is_monitored: true, watched_from: { [gid]: 25 } });
    expect(world.published.map(({ payload }) => (payload as { is_monitored: boolean }).is_monitored)).toEqual(
      [false, true],
    );
  });

  it('gives up the turn of its history that is under way when it is monitored again', async () => {
    await world.db.query(
      `INSERT INTO address_histories (address_id, chain_gid, project_id, from_block, next_block) SELECT id, $2, project_id, 0, 5 FROM addresses WHERE id = $1`,
      [id, gid],
    );
    const readJob = async () =>
      (await world.db.query('SELECT revision, next_block FROM address_histories WHERE address_id = $1', [id]))
        .rows[0];
    for (const isMonitored of [false, true])
      await world.api.patch(`/addresses/${lower}`).send({ is_monitored: isMonitored }).expect(200);
    expect(await readJob()).toEqual({ revision: 1, next_block: 5 });
    await world.api.patch(`/addresses/${lower}`).send({ is_monitored: true, label: 'First' }).expect(200);
    expect(await readJob()).toEqual({ revision: 1, next_block: 5 });
    await world.db.query('DELETE FROM address_histories');
  });

  it('does not look through passed blocks again for a new label, nor when nothing is switched', async () => {
    const stateOf = async () =>
      (
        await world.db.query(
          'SELECT a.watch_xid::text, w.from_block FROM addresses a JOIN address_watches w ON w.address_id = a.id WHERE a.id = $1',
          [id],
        )
      ).rows;
    const before = await stateOf();
    await world.db.query('UPDATE ingestor_states SET head_number = 30');
    world.published.length = 0;
    for (const body of [{ label: 'Once' }, { metadata: { a: 1 } }, { is_monitored: true }])
      await world.api.patch(`/addresses/${lower}`).send(body).expect(200);
    expect(await stateOf()).toEqual(before);
    expect(world.published).toEqual([]);
  });

  it('keeps what each of two requests at once changed', async () => {
    const send = (body: object) => world.api.patch(`/addresses/${lower}`).send(body).expect(200);
    await Promise.all([send({ label: 'Both' }), send({ metadata: { b: 2 } }), send({ is_monitored: false })]);
    expect((await world.api.get(`/addresses/${lower}`).expect(200)).body).toMatchObject({
      label: 'Both',
      metadata: { b: 2 },
      is_monitored: false,
    });
    await Promise.all([send({ label: 'Once' }), send({ is_monitored: true })]);
    expect((await world.api.get(`/addresses/${lower}`).expect(200)).body).toMatchObject({
      label: 'Once',
      is_monitored: true,
      watched_from: { [gid]: 30 },
    });
  });

  it.each([
    [{}],
    [{ label: '' }],
    [{ label: 'x'.repeat(256) }],
    [{ metadata: [] }],
    [{ metadata: { a: 'x'.repeat(17_000) } }],
    [{ is_monitored: 'yes' }],
    [{ groups: null }],
    [{ groups: [''] }],
    [{ groups: ['x'.repeat(65)] }],
    [{ groups: ['a,b'] }],
    [{ groups: Array.from({ length: 21 }, (_, n) => `g${n}`) }],
    [{ address: lower }],
  ])('refuses %j', async (body) => {
    expect(
      (await world.api.patch(`/addresses/${lower}`).send(body).expect(400)).body.fields.length,
    ).toBeGreaterThan(0);
  });

  it('finds, filters and sorts', async () => {
    const labels = async (query: string) =>
      (await world.api.get(`/addresses?${query}`).expect(200)).body.items.map(
        (item: { label: string }) => item.label,
      );
    expect(await labels('')).toEqual(['Second', 'Once']);
    expect(await labels('sort_by=label')).toEqual(['Once', 'Second']);
    expect(await labels('sort_by=-address')).toEqual(['Once', 'Second']);
    expect(await labels('search=sec')).toEqual(['Second']);
    expect(await labels('search=219ab54')).toEqual(['Second']);
    expect(await labels('search=_')).toEqual([]);
    expect(await labels('kind=hd')).toEqual([]);
    expect(
      await labels('kind=external&chain_families=evm,tron&formats=evm&is_monitored=true&limit=1'),
    ).toEqual(['Second']);
    expect(await labels('chain_families=tron')).toEqual([]);
    expect(await labels('public_key_id=00000000-0000-4000-8000-000000000000')).toEqual([]);
  });

  it('keeps its groups, each once, and finds it by any of them', async () => {
    const patch = (body: object) => world.api.patch(`/addresses/${lower}`).send(body).expect(200);
    const longest = Array.from({ length: 20 }, (_, n) => String(n).padEnd(64, 'x'));
    expect((await patch({ groups: longest })).body.groups).toEqual(longest);
    expect((await patch({ groups: ['vip', ' eu ', 'vip'] })).body.groups).toEqual(['vip', 'eu']);
    expect((await patch({ label: 'Once' })).body.groups).toEqual(['vip', 'eu']);
    await world.other
      .post('/addresses/external')
      .send({ value: lower, chain_family: 'evm', groups: ['vip', 'theirs'], metadata: { tier: 'theirs' } })
      .expect(201);
    await world.api
      .patch(`/addresses/${second}`)
      .send({ groups: ['eu'] })
      .expect(200);
    const find = async (query: string) => {
      const { body } = await world.api.get(`/addresses?sort_by=label&${query}`).expect(200);
      expect(body.meta.total).toBe(body.items.length);
      return body.items.map((item: { label: string }) => item.label);
    };
    expect(await find('groups=vip')).toEqual(['Once']);
    expect(await find('groups=eu')).toEqual(['Once', 'Second']);
    expect(await find('groups=vip,eu&kind=external&is_monitored=true')).toEqual(['Once', 'Second']);
    expect(await find('groups=none&groups=vip')).toEqual(['Once']);
    expect(await find('groups=eu&search=sec')).toEqual(['Second']);
    expect(await find('groups=theirs')).toEqual([]);
    expect(await find('groups=VIP')).toEqual([]);
    await world.api.get('/addresses?groups=').expect(400);
    expect((await patch({ groups: [] })).body.groups).toEqual([]);
    expect(await find('groups=vip')).toEqual([]);
  });

  it('is found by its metadata: a value as text, number, true, false or null', async () => {
    const metadata = {
      tier: 'gold, "one"',
      n: 1042,
      text: '1042',
      off: false,
      none: null,
      'a.b': 'dot',
      deep: { a: 1 },
    };
    await world.api.patch(`/addresses/${lower}`).send({ metadata }).expect(200);
    await world.api
      .patch(`/addresses/${second}`)
      .send({ metadata: { tier: 'silver', n: 7 } })
      .expect(200);
    const find = async (query: string) => {
      const { body } = await world.api.get(`/addresses?sort_by=label&${query}`).expect(200);
      expect(body.meta.total).toBe(body.items.length);
      return body.items.map((item: { label: string }) => item.label);
    };
    const both = ['Once', 'Second'];
    const cases: Record<string, string[]> = {
      [`metadata.tier=${encodeURIComponent('gold, "one"')}`]: ['Once'],
      'metadata.n=1042': ['Once'],
      'metadata.text=1042': ['Once'],
      'metadata.n=1042.0': [],
      'metadata.n=1e400000': [],
      'metadata.off=false&metadata.none=null': ['Once'],
      'metadata.a.b=dot': ['Once'],
      'metadata.tier=silver&metadata.n=1042': [],
      'metadata.n=7&metadata.n=1042': both,
      'metadata.tier=theirs': [],
      'metadata.missing=': [],
      'metadata.n=7&groups=eu&search=2': ['Second'],
    };
    for (const [query, labels] of Object.entries(cases))
      expect([query, await find(query)]).toEqual([query, labels]);
    for (const query of [
      'metadata.=1',
      'metadata=1',
      'metadata.__proto__=1',
      `metadata.a=${'x'.repeat(1_025)}`,
      'other.a=1',
    ])
      await world.api.get(`/addresses?${query}`).expect(400);
    const many = Array.from({ length: 11 }, (_, n) => `metadata.k${n}=1`).join('&');
    expect((await world.api.get(`/addresses?${many}`).expect(400)).body.fields[0].name).toBe('metadata');
    await world.other.delete(`/addresses/${lower}`).expect(204);
  });

  it('shows exact balances of active assets, zero included', async () => {
    const token = async (name: string, status: string, decimals: number) =>
      world.db.query(
        `INSERT INTO assets (gid, chain_gid, namespace, reference, type, status, decimals) VALUES ($1, $2, 'erc20', $3, 'fungible', $4, $5)`,
        [`${gid}/erc20:${name}`, gid, name, status, decimals],
      );
    await token('0xaa', 'active', 6);
    await token('0xbb', 'active', 0);
    await token('0xcc', 'unknown', 6);
    const balances = {
      'slip44:60': '115792089237316195423570985008687907853269984665640564039457584007913129639935',
      'erc20:0xaa': '0',
      'erc20:0xbb': '42',
      'erc20:0xcc': '7',
    };
    for (const [path, raw] of Object.entries(balances)) {
      await world.db.query(
        `INSERT INTO balances (address_id, asset_gid, chain_gid, amount_raw, block_number, block_hash) VALUES ($1, $2, $3, $4, 1, '0x1')`,
        [id, `${gid}/${path}`, gid, raw],
      );
    }
    expect((await world.api.get(`/addresses/${display}/balances`).expect(200)).body).toEqual({
      [`${gid}/slip44:60`]: '115792089237316195423570985008687907853269984665640564039457.584007913129639935',
      [`${gid}/erc20:0xaa`]: '0',
      [`${gid}/erc20:0xbb`]: '42',
    });
    expect((await world.api.get(`/addresses/${second}/balances`).expect(200)).body).toEqual({});
  });

  it('is gone for good once deleted', async () => {
    expect((await world.api.delete(`/addresses/${second}`).expect(204)).text).toBe('');
    await world.api.delete(`/addresses/${second}`).expect(404);
    await world.api.get(`/addresses/${second}`).expect(404);
    const { rows } = await world.db.query(
      'SELECT count(*) AS left FROM address_watches WHERE address_id <> $1',
      [id],
    );
    expect(rows[0].left).toBe(0);
  });
});
