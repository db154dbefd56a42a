// SPDX-License-Identifier: Apache-2.0
import { tokenIdOf } from '@chainwatch/events';
import { startAnvil } from '@chainwatch/testing';
import type { AnvilHandle } from '@chainwatch/testing';
import { startSpecWorld } from '../../spec-support/spec-world.ts';
import type { SpecWorld } from '../../spec-support/spec-world.ts';
import { deployToken, sender } from '../../spec-support/tokens.ts';

const chain = 'eip155:31337';
const inactive = 'eip155:1';
const reference = '0x3333333333333333333333333333333333333333';
const gid = `${chain}/erc20:${reference}`;
const path = `/tokens/${chain}/erc20:${reference}`;
/** Code that answers `totalSupply()` and reverts at anything else. */
const TOTAL_SUPPLY_ONLY = '0x60003560e01c6318160ddd14601357600080fd5b600160005260206000f3';

describe('POST /tokens/{chain_gid}/{asset_path}/actions/refresh', () => {
  let world: SpecWorld;
  const insertToken = async (assetGid: string, decimals: number | null, status = 'active') => {
    const [chainGid, asset] = assetGid.split('/') as [string, string];
    const [namespace, name] = asset.split(':') as [string, string];
    await world.db.query(
      `INSERT INTO assets (gid, chain_gid, namespace, reference, type, status, name, symbol, decimals, attempt_count, next_attempt_at)
       VALUES ($1, $2, $3, $4, 'fungible', $5, 'T', 'T', $6, 12, 'infinity')`,
      [assetGid, chainGid, namespace, name, status, decimals],
    );
    await world.db.query('INSERT INTO project_assets (project_id, asset_gid) VALUES ($1, $2)', [
      world.project.projectId,
      assetGid,
    ]);
  };
  const asked = async (assetGid = gid) =>
    (
      await world.db.query(
        'SELECT status, is_reread_due, attempt_count, next_attempt_at <= now() AS is_due FROM assets WHERE gid = $1',
        [assetGid],
      )
    ).rows[0];

  beforeAll(async () => {
    world = await startSpecWorld();
    for (const each of [chain, inactive])
      await world.api.post('/blockchains').send({ chain_gid: each }).expect(201);
    await world.db.query('UPDATE blockchains SET is_active = gid = $1', [chain]);
    await insertToken(gid, null);
  });
  afterAll(() => world.stop());

  it('202: asks the analyzer of the chain, with an entry in the audit log, however often', async () => {
    for (let times = 0; times < 2; times += 1) {
      const { body } = await world.api
        .post(`/tokens/${chain}/erc20:${reference.toUpperCase().replace('0X', '0x')}/actions/refresh`)
        .expect(202);
      expect(body).toMatchObject({ gid, status: 'active', decimals: null });
    }
    expect(await asked()).toEqual({ status: 'active', is_reread_due: true, attempt_count: 0, is_due: true });
    const { body: log } = await world.management
      .get(`/management/audit_logs?target_types=token&target_ids=${tokenIdOf(gid)}`)
      .expect(200);
    expect(log.items).toHaveLength(2);
    expect(log.items[0]).toMatchObject({
      action: 'token.refreshed',
      target: { type: 'token', id: tokenIdOf(gid) },
      changes: { gid: { from: null, to: gid } },
    });
  });

  it('asks again whether it is a token by now', async () => {
    const late = `${chain}/erc20:0x4444444444444444444444444444444444444444`;
    await insertToken(late, null, 'invalid');
    await world.api.post(`/tokens/${late}/actions/refresh`).expect(202);
    expect(await asked(late)).toMatchObject({ status: 'unknown', is_due: true });
  });

  it('404: a token that is not on the list of the project, and a chain that is not here', async () => {
    await world.other.post(`${path}/actions/refresh`).expect(404);
    await world.api.post(`/tokens/${chain}/erc20:0x${'9'.repeat(40)}/actions/refresh`).expect(404);
    await world.api.post(`/tokens/eip155:10/erc20:${reference}/actions/refresh`).expect(404);
  });

  it.each([
    ['the native coin', `${chain}/slip44:60`, 'asset_path'],
    ['a token of a chain that is not active', `${inactive}/erc20:${reference}`, 'chain_gid'],
  ])('422: %s', async (_, assetGid, name) => {
    if (name === 'chain_gid') await insertToken(assetGid, 0);
    const { body } = await world.api.post(`/tokens/${assetGid}/actions/refresh`).expect(422);
    expect(body.fields).toEqual([{ name, reason: expect.stringMatching(/^expected .*, got /) }]);
    expect(body.detail).toContain(body.fields[0].reason);
  });

  it('400: what is no asset of the chain', async () => {
    const { body } = await world.api.post(`/tokens/${chain}/erc20:0x12/actions/refresh`).expect(400);
    expect(body.fields[0].name).toBe('asset_path');
  });

  it('403: a key that may only read', async () => {
    const { body: key } = await world.management
      .post('/management/keys')
      .send({
        type: 'api',
        name: 'reader',
        project_id: world.project.projectId,
        permissions: ['api:token:read'],
      })
      .expect(201);
    await world.send('post', `/v1${path}/actions/refresh`, key.key).expect(403);
  });

  it('is shown with its base units, in every list of balances', async () => {
    const { body: address } = await world.api
      .post('/addresses/external')
      .send({ value: sender, chain_family: 'evm' })
      .expect(201);
    await world.db.query(
      `INSERT INTO balances (address_id, asset_gid, chain_gid, amount_raw, block_number, block_hash) VALUES ($1, $2, $3, 3000000, 1, '0x1')`,
      [address.id, gid, chain],
    );
    await world.db.query(
      `INSERT INTO balance_history (address_id, asset_gid, chain_gid, amount_raw, block_number, block_hash) VALUES ($1, $2, $3, 3000000, 1, '0x1')`,
      [address.id, gid, chain],
    );
    const get = async (list: string) =>
      (await world.api.get(`/addresses/${sender}/${list}`).expect(200)).body;
    expect(await get('balances')).toEqual({ [gid]: null });
    expect((await get('balances/details')).items).toMatchObject([
      { asset_gid: gid, total: null, total_raw: '3000000', decimals: null, pending_in: null },
    ]);
    expect((await get('balances/history')).items).toMatchObject([
      { asset_gid: gid, balance: null, balance_raw: '3000000' },
    ]);
    const { body } = await world.api
      .post('/addresses/balances/query')
      .send({ addresses: [sender] })
      .expect(200);
    expect(body.items).toMatchObject([{ balances: { [gid]: null } }]);
    await world.db.query('UPDATE assets SET decimals = 6 WHERE gid = $1', [gid]);
    expect(await get('balances')).toEqual({ [gid]: '3' });
  });
});

describe('POST /tokens/{chain_gid}/{asset_path} of a token whose decimals nobody knew', () => {
  let world: SpecWorld;
  let anvil: AnvilHandle;
  beforeAll(async () => {
    [world, anvil] = await Promise.all([startSpecWorld(), startAnvil()]);
    await world.api.post('/blockchains').send({ chain_gid: chain }).expect(201);
    await world.api.patch(`/blockchains/${chain}/evm`).send({ endpoint_url: anvil.url }).expect(200);
  });
  afterAll(async () => {
    await anvil.stop();
    await world.stop();
  });

  it('201 where the contract says them now, 409 where it still does not', async () => {
    const token = await deployToken(anvil);
    const assetGid = `${chain}/erc20:${token}`;
    await world.db.query(
      `INSERT INTO assets (gid, chain_gid, namespace, reference, type, status) VALUES ($1, $2, 'erc20', $3, 'fungible', 'active')`,
      [assetGid, chain, token],
    );
    await world.db.query('INSERT INTO project_assets (project_id, asset_gid) VALUES ($1, $2)', [
      world.project.projectId,
      assetGid,
    ]);
    const code = await anvil.rpc<string>('eth_getCode', [token, 'latest']);
    await anvil.rpc('anvil_setCode', [token, TOTAL_SUPPLY_ONLY]);
    await world.api.post(`/tokens/${assetGid}`).expect(409);
    await anvil.rpc('anvil_setCode', [token, code]);
    const { body } = await world.api.post(`/tokens/${assetGid}`).expect(201);
    expect(body).toMatchObject({ gid: assetGid, status: 'active', decimals: expect.any(Number) });
  });
});
