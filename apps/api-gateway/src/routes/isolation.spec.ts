// SPDX-License-Identifier: Apache-2.0
import type { z } from 'zod';
import { permissionsOf } from '@chainwatch/common/api-key';
import { findFreePort, startAnvil } from '@chainwatch/testing';
import type { AnvilHandle } from '@chainwatch/testing';
import { operations, routeTable } from '../route-table.ts';
import type { RouteDescription } from '../define-route.ts';
import { deployToken } from '../spec-support/tokens.ts';
import { accounts, bodyOf } from '../spec-support/public-keys.ts';
import { startSpecWorld } from '../spec-support/spec-world.ts';
import type { Client, SpecWorld } from '../spec-support/spec-world.ts';

const address = '0xd8da6bf26964af9d7eed9e03e53415d37aa96045';
/** Ids of rows that do not exist. */
const unknown: Readonly<Record<string, string>> = {
  address: '0x00000000219ab540356cbb839cbe05303d7705fa',
  asset_path: 'erc20:0x00000000219ab540356cbb839cbe05303d7705fb',
  hash: '0x2',
};
const unknownId = '00000000-0000-4000-8000-000000000000';
/** What every project sees. */
const shared: Readonly<Record<string, string>> = {
  // Of routes for the operator alone (quotas.update/200.spec.ts).
  workspace_id: '00000000-0000-4000-8000-000000000000',
  chain_gid: 'eip155:1',
  block_number: '1',
  incident_id: '00000000-0000-4000-8000-000000000000',
  endpoint_id: '00000000-0000-4000-8000-000000000000',
};
/** A token that the first project discovered. */
const token = '0xdac17f958d2ee523a2206206994597c13d831ec7';
const keyTypes = ['api', 'rpc', 'management'] as const;

const lists = routeTable.filter((route) => route.method === 'GET' && isList(route));

describe('what belongs to another project or workspace', () => {
  let world: SpecWorld;
  let ids: Record<string, string>;
  let hdAddress: string;
  /** The other project's lists before this project had any rows. */
  let before: Map<string, unknown>;
  beforeAll(async () => {
    world = await startSpecWorld();
    await world.api.post('/blockchains').send({ chain_gid: 'eip155:1' }).expect(201);
    before = await readLists();
    await world.api
      .post('/addresses/external')
      .send({ value: address, chain_family: 'evm', label: 'mine' })
      .expect(201);
    const { body: publicKey } = await world.api
      .post('/public_keys')
      .send({ ...bodyOf(accounts.bip84), label: 'mine' })
      .expect(201);
    const { body: derived } = await world.api.post(`/public_keys/${publicKey.id}/addresses/next`).expect(201);
    hdAddress = derived.address;
    const { body: channel } = await world.api
      .post('/channels')
      .send({ name: 'mine', url: 'https://1.1.1.1/' })
      .expect(201);
    await world.api.put('/confirmation_policies/eip155:1').send({ type: 'depth', depth: 20 }).expect(200);
    const { body: portal } = await world.api
      .post('/portal_sessions')
      .send({ channel_ids: [channel.id], ttl_seconds: 3_600 })
      .expect(201);
    const { body: statement } = await world.api
      .post('/statements')
      .send({ addresses: [address], from: '2026-10-01T00:00:00Z', to: '2026-11-01T00:00:00Z' })
      .expect(202);
    const { body: member } = await world.management
      .post('/management/members')
      .send({ email: 'mine@example.com', role: 'admin' })
      .expect(201);
    const { body: key } = await world.management
      .post('/management/keys')
      .send({ type: 'rpc', name: 'mine', permissions: ['rpc:evm:read'] })
      .expect(201);
    const { rows: events } = await world.db.query<{ event_id: string }>(
      `INSERT INTO event_log (event_id, project_id, chain_gid, type, sequence, subject_kind, payload) VALUES (gen_random_uuid(), $1, 'eip155:1', 'transaction.detected', 1, 'tx.detected', '{}') RETURNING event_id`,
      [world.project.projectId],
    );
    const { rows } = await world.db.query<{ id: string }>(
      `INSERT INTO deliveries (project_id, channel_id, event_id, event_type, status) VALUES ($1, $2, $3, 'transaction.detected', 'pending') RETURNING id`,
      [world.project.projectId, channel.id, events[0]!.event_id],
    );
    await discover(world, world.project.projectId, token);
    const { body: reconciliation } = await world.api
      .post('/reconciliations')
      .set('Content-Type', 'text/csv')
      .send(
        `hash,address,asset_gid,amount,time\n0x1,${address},eip155:1/erc20:${token},5,2026-10-01T00:00:00Z\n`,
      )
      .expect(202);
    const { rows: transactions } = await world.db.query<{ id: string; hash: string }>(
      `SELECT id, hash FROM transactions WHERE project_id = $1 AND chain_gid = 'eip155:1' LIMIT 1`,
      [world.project.projectId],
    );
    ids = {
      address,
      transaction_id: transactions[0]!.id,
      hash: transactions[0]!.hash,
      asset_path: `erc20:${token}`,
      public_key_id: publicKey.id,
      channel_id: channel.id,
      notification_channel_id: channel.id,
      delivery_id: rows[0]!.id,
      event_id: events[0]!.event_id,
      project_id: world.project.projectId,
      portal_session_id: portal.id,
      statement_id: statement.id,
      reconciliation_id: reconciliation.id,
      member_id: member.id,
      key_id: key.id,
    };
  });
  afterAll(() => world.stop());

  it.each(
    Object.entries(operations).map(([id, route]) => [`${route.method} ${route.path}`, id, route] as const),
  )('%s tells keys of others nothing about it, and changes nothing', async (_name, id, route) => {
    const names = [...route.path.matchAll(/:(\w+)/g)]
      .map(([, name]) => name!)
      .filter((name) => !(name in shared));
    expect(names.filter((name) => !(name in ids))).toEqual([]);
    if (names.length === 0) return;
    const rows = await readRows();
    const owner = route.path.startsWith('/management/') ? 'management' : 'api';
    for (const type of keyTypes) {
      const ask = async (values: Readonly<Record<string, string>>) => {
        const path = route.path.replace(
          /:(\w+)/g,
          (_, name: string) => shared[name] ?? values[name] ?? unknownId,
        );
        const { status, text, headers } = await world
          .send(route.method.toLowerCase() as 'get', `/v1${path}`, world.otherProject.keys[type])
          .send(route.example as object | undefined);
        const hidden = names.reduce(
          (shown, name) => shown.replaceAll(values[name] ?? unknownId, '<id>'),
          text,
        );
        return { status, text: hidden, type: headers['content-type'], length: Object.keys(headers).sort() };
      };
      const foreign = await ask(ids);
      expect(foreign).toEqual(await ask(unknown));
      // A token may be added by everybody; here the chain has no node that could be asked.
      const missing = id === 'createToken' ? 422 : 404;
      expect([type, foreign.status]).toEqual([type, type === owner ? missing : 403]);
    }
    expect(await readRows()).toEqual(rows);
  });

  it('is in no list of others, in no total, and found by no filter', async () => {
    expect(before.size).toBe(lists.length);
    expect(await readLists()).toEqual(before);
    expect((await world.api.get('/addresses').expect(200)).body.meta.total).toBe(2);
    for (const [path, name] of [
      ['addresses', 'public_key_id'],
      ['addresses/hd', 'public_key_id'],
      ['transactions', 'public_key_id'],
      ['management/keys', 'project_ids'],
      ['management/audit_logs', 'target_ids'],
      ['management/audit_logs', 'actor_key_ids'],
    ] as const) {
      const client = path.startsWith('management') ? world.otherManagement : world.other;
      for (const id of Object.values(ids).filter(
        (value) => ![address, ids.asset_path, ids.hash].includes(value),
      )) {
        const [foreign, nobodys] = [
          await client.get(`/${path}?${name}=${id}`),
          await client.get(`/${path}?${name}=${unknownId}`),
        ];
        expect([foreign.status, foreign.text.replaceAll(id, unknownId)]).toEqual([
          nobodys.status,
          nobodys.text,
        ]);
      }
    }
    for (const path of [
      `transactions?addresses=${address}`,
      `transactions?addresses=${hdAddress}`,
      'transactions?hash=0x1',
      'addresses?search=mine',
      'public_keys?search=mine',
      'channels?search=mine',
      'addresses?search=d8da6bf2',
      'tokens?search=tether',
      'tokens?search=dac17f958d2e',
      'tokens?namespaces=erc20',
      'assets?namespaces=erc20',
      `transactions?asset_gids=eip155:1/erc20:${token}`,
    ]) {
      const { status, body } = await world.other.get(`/${path}`);
      if (status === 200) expect(body).toMatchObject({ items: [], meta: { total: 0 } });
      else expect(status).toBe(400);
    }
  });

  it('a delivery is found under no other channel', async () => {
    const { body: own } = await world.other
      .post('/channels')
      .send({ name: 'theirs', url: 'https://1.1.1.1/' })
      .expect(201);
    const [foreign, nobodys] = [
      await world.other.get(`/channels/${own.id}/deliveries/${ids.delivery_id}`).expect(404),
      await world.other.get(`/channels/${own.id}/deliveries/${unknownId}`).expect(404),
    ];
    expect(foreign.text.replaceAll(ids.delivery_id!, unknownId)).toBe(nobodys.text);
    await world.other.delete(`/channels/${own.id}`).expect(204);
  });

  it('is no reason for a 409: what one project has another may make, and delete, for itself', async () => {
    const { body: external } = await world.other
      .post('/addresses/external')
      .send({ value: address, chain_family: 'evm' })
      .expect(201);
    expect(external.label).toBeNull();
    const { body: publicKey } = await world.other
      .post('/public_keys')
      .send(bodyOf(accounts.bip84))
      .expect(201);
    expect(
      (await world.other.post(`/public_keys/${publicKey.id}/addresses/next`).expect(201)).body.address,
    ).toBe(hdAddress);
    for (const suffix of ['', '/hd'])
      expect((await world.other.get(`/addresses/${hdAddress}${suffix}`).expect(200)).body.public_key_id).toBe(
        publicKey.id,
      );
    await world.other.delete(`/public_keys/${publicKey.id}?cascade=true`).expect(204);
    await world.other.delete(`/addresses/${address}`).expect(204);
    await world.api.get(`/addresses/${hdAddress}/hd`).expect(200);
    expect((await world.api.get(`/addresses/${address}`).expect(200)).body.label).toBe('mine');
    const { body: member } = await world.otherManagement
      .post('/management/members')
      .send({ email: 'mine@example.com', role: 'viewer' })
      .expect(201);
    await world.otherManagement.delete(`/management/members/${member.id}`).expect(204);
    await world.otherManagement.post('/management/projects').send({ name: 'Default' }).expect(201);
  });

  it('what a management request names in its body is of its own workspace too', async () => {
    const make = (project_id: string) =>
      world.otherManagement
        .post('/management/keys')
        .send({ type: 'api', name: 'theirs', project_id, permissions: ['api:address:read'] })
        .expect(404);
    const [foreign, nobodys] = [await make(ids.project_id!), await make(unknownId)];
    expect(foreign.text.replaceAll(ids.project_id!, unknownId)).toBe(nobodys.text);
    await world.otherManagement.patch('/management/workspace').send({ name: 'Theirs' }).expect(200);
    expect((await world.management.get('/management/workspace').expect(200)).body).toMatchObject({
      id: world.project.workspaceId,
      name: 'Default',
    });
  });

  /** The other project's lists by path; for a list below a resource, the answer for a resource of somebody else. */
  async function readLists(): Promise<Map<string, unknown>> {
    const found = new Map<string, unknown>();
    for (const { path } of lists) {
      const client = path.startsWith('/management/') ? world.otherManagement : world.other;
      const { body } = await client.get(
        `${path.replace(/:\w+/g, unknownId)}${path.endsWith('audit_logs') ? '?actions=member.created,key.created' : ''}`,
      );
      // The moment of the last use, to the minute, is no row of anybody else.
      found.set(
        path,
        JSON.parse(
          JSON.stringify(body, (key, value: unknown) => (key === 'last_used_at' ? undefined : value)),
        ),
      );
    }
    return found;
  }

  /** A fingerprint of every table that holds rows of the first project or workspace. */
  async function readRows(): Promise<unknown[]> {
    const { rows: tables } = await world.db.query<{ name: string; owner: string }>(
      `SELECT table_name AS name, max(column_name) AS owner FROM information_schema.columns WHERE table_schema = 'public' AND column_name IN ('project_id', 'workspace_id') GROUP BY table_name ORDER BY 1`,
    );
    const reads = tables.map(({ name, owner }) =>
      world.db.query(
        `SELECT '${name}' AS name, count(*) AS count, md5(string_agg((to_jsonb(t) - 'last_used_at')::text, ',' ORDER BY to_jsonb(t)::text)) AS hash FROM ${name} t WHERE ${owner} = $1`,
        [owner === 'project_id' ? world.project.projectId : world.project.workspaceId],
      ),
    );
    return (await Promise.all(reads)).map(({ rows }) => rows[0] as unknown);
  }
});

/** A transaction of the project moves the token, as the analyzer writes it. */
async function discover(
  { db }: SpecWorld,
  projectId: string,
  contract: string,
  chainGid = 'eip155:1',
): Promise<string> {
  const gid = `${chainGid}/erc20:${contract}`;
  await db.query(
    `INSERT INTO assets (gid, chain_gid, namespace, reference, type, status, name, symbol, decimals) VALUES ($1, $2, 'erc20', $3, 'fungible', 'active', 'Tether USD', 'USDT', 6) ON CONFLICT DO NOTHING`,
    [gid, chainGid, contract],
  );
  await db.query(
    `WITH t AS (INSERT INTO transactions (id, project_id, chain_gid, hash, status, direction, required_confirmations) VALUES (gen_random_uuid(), $1, $2, '0x1', 'detected', 'in', 1) RETURNING id)
     INSERT INTO transfers (transaction_id, index, project_id, chain_gid, type, asset_gid, amount_raw, monitored_addresses) SELECT id, 0, $1, $2, 'token', $3, 5, ARRAY[$4] FROM t`,
    [projectId, chainGid, gid, address],
  );
  return gid;
}

function isList({ schemas }: RouteDescription): boolean {
  const schema = schemas.responses[200] as (z.ZodType & { shape?: Record<string, unknown> }) | undefined;
  return schema?.shape !== undefined && 'items' in schema.shape && 'meta' in schema.shape;
}

describe('chains, assets and tokens beside another workspace', () => {
  const chain = 'eip155:31337';
  const secretNode = 'https://user:secret@node.example.com/key';
  let world: SpecWorld;
  let anvil: AnvilHandle;
  /** Another project of the first workspace. */
  let sibling: Client;
  let siblingId: string;
  let holder: string;
  beforeAll(async () => {
    [world, anvil] = await Promise.all([startSpecWorld(), startAnvil()]);
    for (const gid of ['eip155:1', chain])
      await world.api.post('/blockchains').send({ chain_gid: gid }).expect(201);
    await world.api.patch(`/blockchains/${chain}/evm`).send({ endpoint_url: anvil.url }).expect(200);
    await world.api
      .patch('/blockchains/eip155:1/evm?verify=false')
      .send({ endpoint_url: secretNode })
      .expect(200);
    siblingId = (await world.management.post('/management/projects').send({ name: 'Sibling' }).expect(201))
      .body.id;
    const permissions = permissionsOf('api');
    const { body: key } = await world.management
      .post('/management/keys')
      .send({ type: 'api', name: 'sibling', project_id: siblingId, permissions })
      .expect(201);
    sibling = world.clientOf(key.key);
    holder = (
      await world.api.post('/addresses/external').send({ value: address, chain_family: 'evm' }).expect(201)
    ).body.id;
    await discover(world, world.project.projectId, token);
    for (const [asset, raw] of [
      ['slip44:60', '1000000000000000000'],
      [`erc20:${token}`, '5000000'],
    ]) {
      await world.db.query(
        `INSERT INTO balances (address_id, asset_gid, chain_gid, amount_raw, block_number, block_hash) VALUES ($1, $2, 'eip155:1', $3, 1, '0x1')`,
        [holder, `eip155:1/${asset}`, raw],
      );
    }
  });
  afterAll(async () => {
    await anvil.stop();
    await world.stop();
  });

  const readAll = async (client: Client, paths: readonly string[]): Promise<string[]> =>
    Promise.all(paths.map(async (path) => (await client.get(path)).text));
  const mine = [
    `/addresses/${address}/balances`,
    `/addresses/${address}/balances/details`,
    `/addresses/${address}/balances/history`,
    '/assets?sort_by=gid',
    '/assets?is_archived=true',
    '/tokens?sort_by=gid',
    `/tokens/eip155:1/erc20:${token}`,
    '/tokens/eip155:1/slip44:60',
  ];

  it('what others archive and restore is on my lists and in my balances as before', async () => {
    await discover(world, world.otherProject.projectId, token);
    await discover(world, siblingId, token);
    const before = await readAll(world.api, mine);
    expect(JSON.parse(before[0]!)).toEqual({ 'eip155:1/slip44:60': '1', [`eip155:1/erc20:${token}`]: '5' });
    for (const client of [world.other, sibling]) {
      for (const asset of ['slip44:60', `erc20:${token}`]) {
        await client.post(`/assets/eip155:1/${asset}/actions/archive`).expect(204);
        expect(await readAll(world.api, mine)).toEqual(before);
        expect((await client.get(`/tokens/eip155:1/${asset}`).expect(200)).body.status).toBe('invalid');
        expect((await client.get('/assets?chain_gids=eip155:1').expect(200)).body.meta.total).toBe(1);
        await client.post(`/assets/eip155:1/${asset}/actions/restore`).expect(204);
        expect((await client.get('/assets?chain_gids=eip155:1').expect(200)).body.meta.total).toBe(2);
        expect(await readAll(world.api, mine)).toEqual(before);
      }
    }
    // A restored asset is read for the addresses of the project that restored it.
    expect(
      (
        await world.db.query('SELECT FROM balance_reads WHERE address_id = $1 AND asset_gid IS NOT NULL', [
          holder,
        ])
      ).rowCount,
    ).toBe(0);
  });

  const operatorRoutes = Object.entries(operations).filter(
    ([, route]) => route.permission === 'api:blockchain:write',
  );
  it.each(operatorRoutes.map(([id, route]) => [`${route.method} ${route.path}`, id, route] as const))(
    '%s is 403 for a key of another workspace, whatever it was given once, and changes no chain',
    async (_name, id, route) => {
      await world.db.query(
        `UPDATE api_keys SET permissions = array_append(permissions, 'api:blockchain:write') WHERE project_id = $1 AND NOT 'api:blockchain:write' = ANY (permissions)`,
        [world.otherProject.projectId],
      );
      const { rows: before } = await world.db.query('SELECT * FROM blockchains ORDER BY gid');
      for (const gid of ['eip155:1', chain, 'eip155:10']) {
        const { status, body } = await world
          .send(
            route.method.toLowerCase() as 'post' | 'patch',
            `/v1${route.path.replace(':chain_gid', gid)}`,
            world.otherProject.keys.api,
          )
          .send(route.example as object | undefined);
        expect([status, body.title]).toEqual([403, 'Forbidden']);
      }
      expect((await world.db.query('SELECT * FROM blockchains ORDER BY gid')).rows).toEqual(before);
    },
  );

  it('chains are the same for all, and nobody sees their nodes', async () => {
    await world.db.query(
      `INSERT INTO ingestor_states (chain_gid, status, reason, nodes, nodes_at)
       VALUES ('eip155:1', 'stalled', 'the node does not answer', '[{"url": "https://node.example.com:443"}]', now()) ON CONFLICT DO NOTHING`,
    );
    for (const path of ['/blockchains', '/blockchains/eip155:1', `/blockchains/${chain}`]) {
      const [own, foreign] = [await world.api.get(path).expect(200), await world.other.get(path).expect(200)];
      expect(foreign.text).toBe(own.text);
      // Logos are files of the gateway, which answers here.
      const text = foreign.text.replaceAll(/"image_url":"[^"]*\/logos\/[^"]*"/g, '');
      for (const part of ['secret', 'example.com', '127.0.0.1', anvil.url]) expect(text).not.toContain(part);
    }
  });

  it('what others discover is on no list of mine, in no total, found by no filter, and has no time', async () => {
    const contract = '0x6b175474e89094c44da98b954eedeac495271d0f';
    const paths = [
      '/assets',
      '/assets?is_archived=true',
      '/assets?namespaces=erc20',
      '/assets?sort_by=-status',
      '/tokens',
      '/tokens?type=fungible',
      '/tokens?search=6b17',
      '/tokens?sort_by=name',
      '/blockchains',
      '/events',
      '/transactions',
    ];
    const clients = [world.other, sibling];
    const before = await Promise.all(clients.map((client) => readAll(client, paths)));
    await discover(world, world.project.projectId, contract, chain);
    await world.api.post(`/assets/${chain}/erc20:${contract}/actions/archive`).expect(204);
    expect(await Promise.all(clients.map((client) => readAll(client, paths)))).toEqual(before);
    for (const client of clients) {
      for (const [method, path, action] of [
        ['get', '/tokens/', ''],
        ['post', '/assets/', '/actions/archive'],
        ['post', '/assets/', '/actions/restore'],
      ] as const) {
        const ask = async (reference: string) => {
          const { status, text } = await client[method](`${path}${chain}/erc20:${reference}${action}`);
          return [status, text.replaceAll(reference, '<contract>')];
        };
        expect(await ask(contract)).toEqual(await ask('0x6b175474e89094c44da98b954eedeac495271d00'));
        expect((await ask(contract))[0]).toBe(404);
      }
    }
    // Discovered later by another project: with the time of that.
    const first = (await world.api.get(`/tokens/${chain}/erc20:${contract}`).expect(200)).body;
    await world.db.query(
      `UPDATE project_assets SET created_at = created_at - interval '1 day' WHERE project_id = $1`,
      [world.project.projectId],
    );
    await discover(world, world.otherProject.projectId, contract, chain);
    const { body: second } = await world.other.get(`/tokens/${chain}/erc20:${contract}`).expect(200);
    expect(second).toMatchObject({ gid: first.gid, name: first.name, status: 'active' });
    expect(Date.parse(second.created_at)).toBeGreaterThanOrEqual(Date.parse(first.created_at));
    expect(second.updated_at).toBe(second.created_at);
  });

  it('the times of native coins are those of the project', async () => {
    for (const [client, id] of [
      [world.other, world.otherProject.projectId],
      [sibling, siblingId],
    ] as const) {
      const { rows } = await world.db.query<{ created_at: Date }>(
        'SELECT created_at FROM projects WHERE id = $1',
        [id],
      );
      const { body } = await client.get(`/assets?namespaces=slip44&chain_gids=${chain}`).expect(200);
      expect(body.items).toEqual([
        {
          gid: `${chain}/slip44:60`,
          status: 'active',
          archived_at: null,
          created_at: rows[0]!.created_at.toISOString(),
          updated_at: rows[0]!.created_at.toISOString(),
        },
      ]);
    }
  });

  it('a token is 201 for each project that adds it, 409 for its own second time, and read from the chain each time', async () => {
    const contract = await deployToken(anvil);
    const path = `/tokens/${chain}/erc20:${contract}`;
    const shown = ({ created_at: _created, updated_at: _updated, ...token }: Record<string, unknown>) =>
      token;
    const { body: first } = await world.api.post(path).expect(201);
    const { body: second } = await world.other.post(path).expect(201);
    expect(shown(second)).toEqual(shown(first));
    expect(Date.parse(second.created_at)).toBeGreaterThanOrEqual(Date.parse(first.created_at));
    for (const client of [world.api, world.other]) {
      expect((await client.post(path).expect(409)).body.detail).toBe(
        `The token ${chain}/erc20:${contract} exists already.`,
      );
      expect((await client.get(`/tokens?search=${contract}`).expect(200)).body.meta.total).toBe(1);
    }
    expect((await sibling.get(path).expect(404)).body.detail).toBe(
      `There is no asset ${chain}/erc20:${contract} in this project.`,
    );
    // No node answers: that others have the token is no help.
    await world.api
      .patch(`/blockchains/${chain}/evm?verify=false`)
      .send({ endpoint_url: `http://127.0.0.1:${await findFreePort()}` })
      .expect(200);
    const [known, unheard] = [
      await sibling.post(path).expect(502),
      await sibling.post(path.replace(/.{4}$/, '0000')).expect(502),
    ];
    expect(known.text).toBe(unheard.text.replaceAll(path.replace(/.{4}$/, '0000'), path));
    await world.api.patch(`/blockchains/${chain}/evm`).send({ endpoint_url: anvil.url }).expect(200);
    await sibling.post(path).expect(201);
  });

  it('of many requests of two projects at once, each gets its token once', async () => {
    const path = `/tokens/${chain}/erc20:${await deployToken(anvil)}`;
    const statuses = await Promise.all(
      [world.api, world.other].map(async (client) =>
        (await Promise.all(Array.from({ length: 8 }, () => client.post(path))))
          .map(({ status }) => status)
          .sort(),
      ),
    );
    expect(statuses).toEqual(Array.from({ length: 2 }, () => [201, ...Array<number>(7).fill(409)]));
    expect(
      (
        await world.db.query('SELECT FROM project_assets WHERE asset_gid = $1', [
          path.replace('/tokens/', ''),
        ])
      ).rowCount,
    ).toBe(2);
  });

  it('a project that is deleted takes its lists along, and nothing of others', async () => {
    const before = await readAll(world.api, mine);
    await world.management.delete(`/management/projects/${siblingId}?cascade=true`).expect(204);
    expect(
      (await world.db.query('SELECT FROM project_assets WHERE project_id = $1', [siblingId])).rowCount,
    ).toBe(0);
    expect(await readAll(world.api, mine)).toEqual(before);
  });
});
