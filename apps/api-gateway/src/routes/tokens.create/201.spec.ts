// SPDX-License-Identifier: Apache-2.0
import { findFreePort, startAnvil } from '@chainwatch/testing';
import type { AnvilHandle } from '@chainwatch/testing';
import { deployToken, sender } from '../../spec-support/tokens.ts';
import { startSpecWorld } from '../../spec-support/spec-world.ts';
import type { SpecWorld } from '../../spec-support/spec-world.ts';

const gid = 'eip155:31337';
const notToken = '0x1111111111111111111111111111111111111111';

describe('POST /tokens/{chain_gid}/{asset_path}', () => {
  let world: SpecWorld;
  let anvil: AnvilHandle;
  let token: string;
  beforeAll(async () => {
    [world, anvil] = await Promise.all([startSpecWorld(), startAnvil()]);
    await world.api.post('/blockchains').send({ chain_gid: gid }).expect(201);
    token = await deployToken(anvil);
  });
  afterAll(async () => {
    await anvil.stop();
    await world.stop();
  });

  it('is 422 while the chain has no node to ask', async () => {
    await world.api.post(`/tokens/${gid}/erc20:${token}`).expect(422);
  });

  it('is 502 while the node does not answer', async () => {
    await world.api
      .patch(`/blockchains/${gid}/evm?verify=false`)
      .send({ endpoint_url: `http://127.0.0.1:${await findFreePort()}` })
      .expect(200);
    const { body } = await world.api.post(`/tokens/${gid}/erc20:${token}`).expect(502);
    expect(body.title).toBe('Bad Gateway');
  });

  it('reads the token from the chain', async () => {
    await world.api.patch(`/blockchains/${gid}/evm`).send({ endpoint_url: anvil.url }).expect(200);
    const { body } = await world.api
      .post(`/tokens/${gid}/erc20:${token.toUpperCase().replace('0X', '0x')}`)
      .expect(201);
    expect(body).toMatchObject({
      gid: `${gid}/erc20:${token}`,
      namespace: 'erc20',
      type: 'fungible',
      status: 'active',
      source: 'chain',
      decimals: expect.any(Number),
    });
    expect(body.symbol).not.toBe('');
    // Whoever held it before is found: the analyzer asks for the balances of all addresses of the project (ask-for-token-page).
    expect(
      (
        await world.db.query(
          'SELECT read_after::text, read_after_id FROM project_assets WHERE asset_gid = $1',
          [body.gid],
        )
      ).rows,
    ).toEqual([{ read_after: '-infinity', read_after_id: '00000000-0000-0000-0000-000000000000' }]);
    expect((await world.api.get(`/tokens/${gid}/erc20:${token}`).expect(200)).body).toEqual(body);
    const { body: list } = await world.api
      .get(`/tokens?type=fungible&search=${body.symbol.toLowerCase()}&namespaces=erc20`)
      .expect(200);
    expect(list.items).toEqual([body]);
  });

  it('is 409 for a token that exists, the native coin included', async () => {
    await world.api.post(`/tokens/${gid}/erc20:${token}`).expect(409);
    await world.api.post(`/tokens/${gid}/slip44:60`).expect(409);
  });

  it('completes a token that the analyzer discovered, and has its holders read', async () => {
    const discovered = await deployToken(anvil);
    const assetGid = `${gid}/erc20:${discovered}`;
    const { body: address } = await world.api
      .post('/addresses/external')
      .send({ value: sender, chain_family: 'evm' })
      .expect(201);
    await world.db.query(
      `INSERT INTO assets (gid, chain_gid, namespace, reference, type, status) VALUES ($1, $2, 'erc20', $3, 'fungible', 'unknown')`,
      [assetGid, gid, discovered],
    );
    await world.db.query(
      `INSERT INTO transactions (id, project_id, chain_gid, hash, status, direction, required_confirmations)
       VALUES ('11111111-1111-4111-8111-111111111111', $1, $2, '0x01', 'detected', 'in', 1)`,
      [world.project.projectId, gid],
    );
    await world.db.query(
      `INSERT INTO transfers (transaction_id, index, project_id, chain_gid, type, asset_gid, amount_raw, monitored_addresses)
       VALUES ('11111111-1111-4111-8111-111111111111', 0, $1, $2, 'token', $3, 5, ARRAY[$4])`,
      [world.project.projectId, gid, assetGid, sender],
    );
    const { body } = await world.api.post(`/tokens/${gid}/erc20:${discovered}`).expect(201);
    expect(body.status).toBe('active');
    const { rows } = await world.db.query(
      'SELECT address_id, reason FROM balance_reads WHERE asset_gid = $1',
      [assetGid],
    );
    expect(rows).toEqual([{ address_id: address.id, reason: 'touched' }]);
  });

  it('says what wallets multiply its amounts with, and lists a collection as one', async () => {
    const list = (address: string, columns: string) =>
      world.db.query(
        `INSERT INTO assets (gid, chain_gid, namespace, reference, status, symbol, type, ui_multiplier) VALUES ($1, $2, 'erc20', $3, 'active', 'S', ${columns})`,
        [`${gid}/erc20:${address}`, gid, address],
      );
    const [shares, kitties] = [`0x${'5a'.repeat(20)}`, `0x${'5b'.repeat(20)}`];
    await list(shares, `'fungible', '{"type": "scaled", "value": "0.5"}'`);
    await list(kitties, `'nft', NULL`);
    for (const address of [shares, kitties])
      await world.db.query('INSERT INTO project_assets (project_id, asset_gid) VALUES ($1, $2)', [
        world.project.projectId,
        `${gid}/erc20:${address}`,
      ]);
    const read = async (address: string) =>
      (await world.api.get(`/tokens/${gid}/erc20:${address}`).expect(200)).body;
    expect(await read(shares)).toMatchObject({ type: 'fungible', ui_multiplier: '0.5' });
    expect(await read(kitties)).toMatchObject({ type: 'nft', ui_multiplier: null, decimals: null });
    const { body } = await world.api.get('/tokens?type=nft').expect(200);
    expect(body.items).toEqual([await read(kitties)]);
    await world.api.post(`/tokens/${gid}/erc20:${kitties}`).expect(409);
  });

  it('is 422 for a contract that is no token', async () => {
    const { body } = await world.api.post(`/tokens/${gid}/erc20:${notToken}`).expect(422);
    expect(body.detail).toContain('not a token');
  });

  it('marks a discovered contract that is no token as invalid', async () => {
    await world.db.query(
      `INSERT INTO assets (gid, chain_gid, namespace, reference, type, status) VALUES ($1, $2, 'erc20', $3, 'fungible', 'unknown')`,
      [`${gid}/erc20:${notToken}`, gid, notToken],
    );
    await world.db.query('INSERT INTO project_assets (project_id, asset_gid) VALUES ($1, $2)', [
      world.project.projectId,
      `${gid}/erc20:${notToken}`,
    ]);
    expect((await world.api.get(`/tokens/${gid}/erc20:${notToken}`).expect(200)).body.status).toBe('unknown');
    await world.api.post(`/tokens/${gid}/erc20:${notToken}`).expect(422);
    expect((await world.api.get(`/tokens/${gid}/erc20:${notToken}`).expect(200)).body).toMatchObject({
      status: 'invalid',
      decimals: null,
    });
    expect((await world.api.get(`/tokens?chain_gids=${gid}`).expect(200)).text).not.toContain(notToken);
    await world.db.query('DELETE FROM assets WHERE reference = $1', [notToken]);
  });

  it('is one asset under all its names: erc20 and bep20, 714 and 9006 on BSC', async () => {
    await world.api.post('/blockchains').send({ chain_gid: 'eip155:56' }).expect(201);
    const busd = '0xe9e7cea3dedca5984780bafc599bd69add087d56';
    await world.db.query(
      `INSERT INTO assets (gid, chain_gid, namespace, reference, type, status, name, symbol, decimals) VALUES ('eip155:56/bep20:${busd}', 'eip155:56', 'bep20', '${busd}', 'fungible', 'active', 'BUSD', 'BUSD', 18)`,
    );
    await world.db.query(
      `INSERT INTO project_assets (project_id, asset_gid) VALUES ($1, 'eip155:56/bep20:${busd}')`,
      [world.project.projectId],
    );
    const names = [
      `bep20:${busd}`,
      `erc20:${busd}`,
      `erc20:${busd.toUpperCase().replace('0X', '0x')}`,
      `ERC20:${busd}`.toLowerCase(),
    ];
    for (const name of names) {
      expect((await world.api.get(`/tokens/eip155:56/${name}`).expect(200)).body.gid).toBe(
        `eip155:56/bep20:${busd}`,
      );
      expect((await world.api.post(`/tokens/eip155:56/${name}`).expect(409)).body.detail).toContain(
        `eip155:56/bep20:${busd}`,
      );
    }
    for (const coin of ['slip44:9006', 'slip44:714'])
      expect((await world.api.get(`/tokens/eip155:56/${coin}`).expect(200)).body).toMatchObject({
        gid: 'eip155:56/slip44:9006',
        symbol: 'BNB',
      });
    await world.api.post(`/assets/eip155:56/erc20:${busd}/actions/archive`).expect(204);
    expect(
      (await world.api.get(`/assets?chain_gids=eip155:56&namespaces=bep20`).expect(200)).body.items,
    ).toEqual([]);
    await world.api.post(`/assets/eip155:56/bep20:${busd}/actions/restore`).expect(204);
    expect(
      (await world.api.get(`/assets?chain_gids=eip155:56&namespaces=bep20`).expect(200)).body.items,
    ).toMatchObject([{ gid: `eip155:56/bep20:${busd}`, status: 'active' }]);
    expect((await world.db.query(`SELECT FROM assets WHERE chain_gid = 'eip155:56'`)).rowCount).toBe(2);
    // On another EVM chain the two are no names of one asset.
    await world.api.get(`/tokens/${gid}/bep20:${busd}`).expect(400);
  });

  it.each([
    ['token:abc', 400],
    ['erc20:0x12', 400],
    ['slip44:195', 400],
  ])('is %s → %i for what is no asset of the chain', async (path, status) => {
    const { body } = await world.api.post(`/tokens/${gid}/${path}`).expect(status);
    expect(body.fields[0].name).toBe('asset_path');
  });

  it('is 404 on a chain that was not added', async () => {
    await world.api.post(`/tokens/eip155:1/erc20:${token}`).expect(404);
    await world.api.get(`/tokens/eip155:1/erc20:${token}`).expect(404);
  });

  it('archives and restores it as an asset, again and again', async () => {
    const path = `/assets/${gid}/erc20:${token}`;
    const listed = async (query = '') =>
      (await world.api.get(`/assets?chain_gids=${gid}&sort_by=gid${query}`).expect(200)).body.items.filter(
        (item: { gid: string }) => item.gid.endsWith(token),
      );
    expect(await listed()).toHaveLength(1);
    for (let i = 0; i < 2; i += 1)
      expect((await world.api.post(`${path}/actions/archive`).expect(204)).text).toBe('');
    expect(await listed()).toEqual([]);
    expect(await listed('&is_archived=true')).toMatchObject([
      { status: 'invalid', archived_at: expect.any(String) },
    ]);
    await world.api.post(`/tokens/${gid}/erc20:${token}`).expect(409);
    const holder = (await world.api.get(`/addresses/${sender}`).expect(200)).body.id as string;
    await world.db.query(
      `INSERT INTO balances (address_id, asset_gid, chain_gid, amount_raw, block_number, block_hash) VALUES ($1, $2, $3, 5, 1, '0x1')`,
      [holder, `${gid}/erc20:${token}`, gid],
    );
    await world.db.query('DELETE FROM balance_reads');
    for (let i = 0; i < 2; i += 1) await world.api.post(`${path}/actions/restore`).expect(204);
    // Its balances were not kept meanwhile: they are read again, once.
    expect(
      (await world.db.query('SELECT address_id, asset_gid, block_hash, reason FROM balance_reads')).rows,
    ).toEqual([
      { address_id: holder, asset_gid: `${gid}/erc20:${token}`, block_hash: null, reason: 'touched' },
    ]);
    expect(await listed('&statuses=active&namespaces=erc20')).toMatchObject([
      { status: 'active', archived_at: null },
    ]);
    await world.api.post(`/assets/${gid}/erc20:${notToken}/actions/archive`).expect(404);
  });

  it('asks the chain again about a contract that was no token, when the project restores it', async () => {
    const late = `${gid}/erc20:0x2222222222222222222222222222222222222222`;
    await world.db.query(
      `INSERT INTO assets (gid, chain_gid, namespace, reference, type, status, next_attempt_at) VALUES ($1, $2, 'erc20', '0x2222222222222222222222222222222222222222', 'fungible', 'invalid', 'infinity')`,
      [late, gid],
    );
    for (const { projectId } of [world.project, world.otherProject])
      await world.db.query('INSERT INTO project_assets (project_id, asset_gid) VALUES ($1, $2)', [
        projectId,
        late,
      ]);
    const statuses = async () =>
      Promise.all(
        [world.api, world.other].map(
          async (client) => (await client.get(`/tokens/${late}`).expect(200)).body.status,
        ),
      );
    const answer = (status: string) =>
      world.db.query('UPDATE assets SET status = $2 WHERE gid = $1', [late, status]);
    expect(await statuses()).toEqual(['invalid', 'invalid']);
    await world.api.post(`/assets/${late}/actions/restore`).expect(204);
    expect(await statuses()).toEqual(['active', 'invalid']);
    expect(
      (
        await world.db.query('SELECT status, next_attempt_at <= now() AS is_due FROM assets WHERE gid = $1', [
          late,
        ])
      ).rows,
    ).toEqual([{ status: 'unknown', is_due: true }]);
    // What the chain says in the end holds for everybody, but for those that archived it.
    await answer('invalid');
    expect(await statuses()).toEqual(['invalid', 'invalid']);
    await world.api.post(`/assets/${late}/actions/restore`).expect(204);
    await world.other.post(`/assets/${late}/actions/archive`).expect(204);
    await answer('active');
    expect(await statuses()).toEqual(['active', 'invalid']);
    await world.other.post(`/assets/${late}/actions/restore`).expect(204);
    expect(await statuses()).toEqual(['active', 'active']);
  });
});
