// SPDX-License-Identifier: Apache-2.0
import { randomUUID } from 'node:crypto';
import { hexToString, type Hex } from 'viem';
import { demand } from './demand.ts';
import { sendSample, type Endpoint } from './send-sample.ts';
import { EXTENDED_KEYS, make, makeChannel, type Ground } from './ground.ts';
import { codesOf } from './read-tables.ts';
import { listAll, type Sample } from './samples.ts';
import { expectOverlap, expectSecret } from './secrets.ts';
import { findTable, patternOf, sayingOf } from './specification.ts';
import { expectRefused } from './fields.ts';

type Proof = (ground: Ground, endpoint: Endpoint) => Promise<void>;

async function succeed(
  ground: Ground,
  endpoint: Endpoint,
  body?: unknown,
): Promise<{ readonly record: Sample; readonly target: string }> {
  const reply = await sendSample(ground, endpoint, { body });
  demand(reply.status >= 200 && reply.status < 300, `${endpoint.method} ${endpoint.path} to succeed`, reply);
  return { record: reply.body as Sample, target: reply.target };
}

async function expectGone(ground: Ground, endpoint: Endpoint): Promise<void> {
  const { record, target } = await succeed(ground, endpoint);
  demand(
    record === undefined && (await ground.api('GET', target)).status === 404,
    'no content, and 404 afterwards',
    record,
  );
}

const readBack = (ground: Ground, path: string): ReturnType<typeof make> =>
  make(ground.api, { path, method: 'GET' });

const listed: Proof = async (ground, endpoint) => {
  const { record } = await succeed(ground, endpoint);
  const envelope = { heading: 'Pagination envelope', column: 'Constraint' };
  for (const { cells } of findTable(ground.specification, envelope).rows)
    demand(
      codesOf(cells['meta field']!)[0]! in (record['meta'] as object),
      'the pagination envelope',
      record,
    );
  for (const [limit, status] of [
    [1, 200],
    [0, 400],
  ] as const)
    demand(
      (
        await ground.api(
          'GET',
          `${endpoint.path.replace(/\{(\w+)\}/g, (_, name: string) => ground.values[name]!)}?limit=${limit}`,
        )
      ).status === status,
      `${status} for limit=${limit}`,
      endpoint.path,
    );
};

const createsWebhook: Proof = async (ground, endpoint) => {
  const { record } = await succeed(ground, endpoint);
  expectSecret(ground, record['webhook_secret']);
  demand(record['kind'] === 'webhook', 'a webhook channel', record);
  for (const path of [
    `/channels/${String(record['id'])}`,
    `/notification_channels/${String(record['id'])}`,
    `/channels/${String(record['id'])}/webhook-secrets`,
  ]) {
    const read = await readBack(ground, path);
    demand(
      !JSON.stringify(read).includes(String(record['webhook_secret'])),
      `no plain secret under ${path}`,
      read,
    );
  }
};

const hd = (record: Sample, name: string): number => Number(record[name]);

/** By the whole text of the cell: another text is another claim. */
export const PAYLOADS: Readonly<Record<string, Proof>> = {
  'returns the current version of the API service; response body: not shown': async (ground, endpoint) => {
    const { record } = await succeed(ground, endpoint);
    demand(
      Object.values(record).some((value) => /^\d+\.\d+/.test(String(value))),
      'a version',
      record,
    );
  },
  'returns all token assets, native and ERC-20 style; query parameters: not shown': async (
    ground,
    endpoint,
  ) => {
    await listed(ground, endpoint);
    const gids = (await listAll(ground, endpoint.path)).map(({ gid }) => String(gid));
    for (const namespace of ['/slip44:', '/erc20:'])
      demand(
        gids.some((gid) => gid.includes(namespace)),
        `a gid with ${namespace}`,
        gids,
      );
  },
  'creates a token and fetches name, symbol, decimals and type from the chain; body: not shown': async (
    ground,
    endpoint,
  ) => {
    const { record } = await succeed(ground, endpoint);
    const to = /erc20:(0x\w+)$/.exec(String(record['gid']))![1];
    const read = (data: string) => ground.stack.harness.chain.rpc<Hex>('eth_call', [{ to, data }, 'latest']);
    const text = async (data: string): Promise<string> =>
      hexToString(`0x${(await read(data)).slice(130)}`).replaceAll('\0', '');
    const expected = [await text('0x06fdde03'), await text('0x95d89b41'), Number(await read('0x313ce567'))];
    demand(
      JSON.stringify([record['name'], record['symbol'], record['decimals']]) === JSON.stringify(expected) &&
        typeof record['type'] === 'string',
      `name, symbol and decimals ${JSON.stringify(expected)}, and a type`,
      record,
    );
  },
  'returns the token': async (ground, endpoint) => {
    const { record } = await succeed(ground, endpoint);
    demand(
      String(record['gid']).toLowerCase() ===
        `${ground.values['chain_gid']}/${ground.values['asset_path']}`.toLowerCase(),
      'the token that was asked for',
      record,
    );
  },
  'list of registered public keys': async (ground, endpoint) => {
    await listed(ground, endpoint);
    demand(
      (await listAll(ground, endpoint.path)).some(({ id }) => id === ground.values['public_key_id']),
      'the key of the ground',
      ground.values,
    );
  },
  'adds a public key with its derivation path; body field names: not shown': async (ground, endpoint) => {
    const { record } = await succeed(ground, endpoint);
    demand(Object.values(record).includes(EXTENDED_KEYS.ypub.derivation_path), 'the derivation path', record);
    const accepted = /\((.*)\)/
      .exec(sayingOf(ground.specification, 'Only Bitcoin-family extended public keys '))![1]!
      .split(', ');
    demand(
      accepted.join() === Object.keys(EXTENDED_KEYS).join(),
      Object.keys(EXTENDED_KEYS).join(),
      accepted,
    );
    for (const key of Object.values(EXTENDED_KEYS)) {
      const { status, body } = await ground.api('POST', endpoint.path, key);
      demand(status === 409 || status < 300, `${key.extended_public_key.slice(0, 4)} to be taken`, {
        status,
        body,
      });
    }
    for (const prefix of ['xprv', 'zprv', 'apub'])
      await expectRefused(ground.api, {
        path: endpoint.path,
        body: {
          ...EXTENDED_KEYS.zpub,
          extended_public_key: prefix + EXTENDED_KEYS.zpub.extended_public_key.slice(4),
        },
        field: 'extended_public_key',
      });
  },
  'one public key': async (ground, endpoint) => {
    const { record } = await succeed(ground, endpoint);
    demand(
      record['id'] === ground.values['public_key_id'] &&
        Object.values(record).includes(EXTENDED_KEYS.zpub.derivation_path),
      'the key and its derivation path',
      record,
    );
  },
  'updates the label': async (ground, endpoint) => {
    for (const label of ['another', 'ground'])
      demand((await succeed(ground, endpoint, { label })).record['label'] === label, label, endpoint);
  },
  'deletes the key': expectGone,
  'HD addresses derived from the key, sorted by index by default': async (ground, endpoint) => {
    await listed(ground, endpoint);
    const { items } = (await succeed(ground, endpoint)).record as { items: Sample[] };
    const indexes = items.map((item) => hd(item, 'index'));
    demand(
      items.length > 1 && indexes.every((index, at) => at === 0 || index >= indexes[at - 1]!),
      'ascending indexes',
      indexes,
    );
    demand(
      items.every((item) => item['public_key_id'] === ground.values['public_key_id']),
      'addresses of the key',
      items,
    );
  },
  "body gives either a list of indexes or a range (from/to); with neither, one address is generated at the next available index; address format follows the key's derivation path; body field names: not shown":
    async (ground, endpoint) => {
      const generate = async (body: object): Promise<Sample[]> =>
        ((await succeed(ground, endpoint, body)).record as { items: Sample[] }).items;
      for (const [body, indexes] of [
        [{ indexes: [7, 3] }, [3, 7]],
        [{ from: 5, to: 6 }, [5, 6]],
      ] as const) {
        const items = await generate(body);
        demand(
          JSON.stringify(items.map((item) => hd(item, 'index')).sort()) === JSON.stringify(indexes),
          `indexes ${indexes.join()}`,
          items,
        );
        // BIP-84 addresses of the main network.
        demand(
          items.every(({ address }) => /^bc1q[02-9ac-hj-np-z]{38}$/.test(String(address))),
          'addresses as the derivation path has them',
          items,
        );
      }
      const [first, second] = [await generate({}), await generate({})];
      demand(
        first.length === 1 && second.length === 1 && hd(first[0]!, 'index') !== hd(second[0]!, 'index'),
        'one new address each time',
        [first, second],
      );
      demand(
        (
          await ground.api('POST', `/public_keys/${ground.values['public_key_id']}/addresses`, {
            indexes: [1],
            from: 0,
            to: 1,
          })
        ).status === 400,
        '400 for both',
        endpoint,
      );
    },
  'generates one address at the next index (highest existing index plus one)': async (ground, endpoint) => {
    const existing = await listAll(ground, `/public_keys/${ground.values['public_key_id']}/addresses`);
    const highest = Math.max(...existing.map((item) => hd(item, 'index')));
    const { record } = await succeed(ground, endpoint);
    demand(hd(record, 'index') === highest + 1, `index ${highest + 1}`, record);
  },
  'all addresses, HD and external; query parameters: not shown': async (ground, endpoint) => {
    await listed(ground, endpoint);
    const addresses = (await listAll(ground, endpoint.path)).map(({ address }) =>
      String(address).toLowerCase(),
    );
    for (const address of [ground.hdAddress, ground.values['address']!])
      demand(addresses.includes(address.toLowerCase()), address, addresses);
  },
  'imports an external address; the address format must be given for validation': async (
    ground,
    endpoint,
  ) => {
    const { record } = await succeed(ground, endpoint);
    demand(record['label'] === 'sample', 'the label', record);
    const names = codesOf(
      sayingOf(
        ground.specification,
        'These names are the ones used in the request sample of the error guide:',
      ),
    );
    demand(names.join() === 'value,chainFamily,label', 'value, chainFamily, label', names);
    const value = `0x${randomUUID().replaceAll('-', '')}00000000`;
    const [path, field] = [endpoint.path, 'value'];
    for (const family of codesOf(sayingOf(ground.specification, 'Chain families named in the interface:')))
      await expectRefused(ground.api, { path, body: { value: 'no address', chainFamily: family }, field });
    await expectRefused(ground.api, { path, body: { value, chainFamily: 'bitcoin' }, field });
    const { status } = await ground.api('POST', endpoint.path, { value });
    demand(status === 400, '400 without the family', status);
  },
  'all HD addresses of all public keys; supports filtering, sorting and pagination': async (
    ground,
    endpoint,
  ) => {
    await listed(ground, endpoint);
    const items = await listAll(ground, endpoint.path);
    const filtered = await listAll(
      ground,
      `${endpoint.path}?public_key_id=${ground.values['public_key_id']}`,
    );
    demand(
      items.some(({ address }) => address === ground.hdAddress) &&
        items.every(({ address }) => address !== ground.values['address']),
      'HD addresses only',
      items,
    );
    demand(
      filtered.length > 0 &&
        filtered.every((item) => item['public_key_id'] === ground.values['public_key_id']),
      'those of the key',
      filtered,
    );
    const [up, down] = await Promise.all(
      ['index', '-index'].map(async (sort) =>
        (await listAll(ground, `${endpoint.path}?sort_by=${sort}`)).map((item) => hd(item, 'index')),
      ),
    );
    demand(JSON.stringify(up) === JSON.stringify(down!.reverse()), 'both orders', [up, down]);
  },
  'one address': async (ground, endpoint) => {
    const { record } = await succeed(ground, endpoint);
    demand(
      String(record['address']).toLowerCase() === ground.values['address']!.toLowerCase(),
      ground.values['address']!,
      record,
    );
  },
  'updates address metadata; body: not shown': async (ground, endpoint) => {
    const { record } = await succeed(ground, endpoint, { metadata: { customer: 'ü' }, label: 'ground' });
    demand(JSON.stringify(record['metadata']) === '{"customer":"ü"}', 'the metadata', record);
  },
  'permanently deletes the address; cannot be undone': expectGone,
  'HD representation; 404 when the address is not HD or does not exist': async (ground, endpoint) => {
    const { record } = await succeed(ground, endpoint);
    demand(
      record['address'] === ground.hdAddress &&
        record['public_key_id'] === ground.values['public_key_id'] &&
        Object.values(record).some((value) => /^m\/84'/.test(String(value))),
      'derivation details and the public key',
      record,
    );
    demand(
      (await ground.api('GET', `/addresses/${ground.values['address']}/hd`)).status === 404,
      '404 for an external address',
      endpoint,
    );
  },
  'external representation; 404 when the address is not external or does not exist': async (
    ground,
    endpoint,
  ) => {
    const { record } = await succeed(ground, endpoint);
    demand(record['label'] === 'ground' && !('public_key_id' in record), 'the external address', record);
    demand(
      (await ground.api('GET', `/addresses/${ground.hdAddress}/external`)).status === 404,
      '404 for an HD address',
      endpoint,
    );
  },
  'map from CAIP-19 asset identifier to decimal-string balance': async (ground, endpoint) => {
    const { record } = await succeed(ground, endpoint);
    const [chain, path] = [
      patternOf(ground.specification, 'chain_gid'),
      patternOf(ground.specification, 'asset_path'),
    ];
    for (const [gid, amount] of Object.entries(record))
      demand(
        chain.test(gid.split('/')[0]!) &&
          path.test(gid.split('/')[1]!) &&
          /^\d+(\.\d+)?$/.test(String(amount)),
        'asset ids and decimal strings',
        [gid, amount],
      );
    const wei = BigInt(
      await ground.stack.harness.chain.rpc<Hex>('eth_getBalance', [ground.values['address'], 'latest']),
    );
    const [whole, rest = ''] = String(record[`${ground.values['chain_gid']}/slip44:60`]).split('.');
    demand(BigInt(whole! + rest.padEnd(18, '0')) === wei, `${wei} wei as the chain has it`, record);
    // 2.5 million base units were minted to it.
    demand(
      Object.keys(record).some((gid) =>
        gid.toLowerCase().endsWith(ground.values['asset_path']!.toLowerCase()),
      ),
      'the token that it received',
      record,
    );
  },
  'creates a webhook channel; the response includes `webhook_secret` once': createsWebhook,
  'returns a new `webhook_secret` once; starts a 24-hour overlap': async (ground, endpoint) => {
    const { record, target } = await succeed(ground, endpoint);
    expectSecret(ground, record['webhook_secret']);
    const read = await readBack(ground, target.replace('/actions/rotate', ''));
    demand(!JSON.stringify(read).includes(String(record['webhook_secret'])), 'no plain secret later', read);
    expectOverlap(read['previous'], 24);
  },
  'current secret mask and timestamps, plus previous secret metadata during overlap; no plaintext': async (
    ground,
    endpoint,
  ) => {
    const { record } = await succeed(ground, endpoint);
    const { current, previous } = record as { current: Sample; previous: unknown };
    demand(
      typeof current['mask'] === 'string' &&
        Object.values(current).some((value) => !Number.isNaN(Date.parse(String(value)))) &&
        previous === null,
      'a mask, times, and nothing before it',
      record,
    );
    const { id, secret } = await makeChannel(ground);
    await make(ground.api, { path: `/channels/${id}/webhook-secrets/actions/rotate` });
    const during = await readBack(ground, `/channels/${id}/webhook-secrets`);
    demand(
      during['previous'] !== null && !JSON.stringify(during).includes(secret),
      'the previous one without its text',
      during,
    );
  },
  'ends the overlap early': async (ground, endpoint) => {
    const { target } = await succeed(ground, endpoint);
    const after = await readBack(ground, target.replace('/previous', ''));
    demand(after['previous'] === null, 'no previous secret', after);
  },
  'paginated list filtered by provided filters; filter names: not shown': async (ground, endpoint) => {
    await listed(ground, endpoint);
    const found = await listAll(ground, `${endpoint.path}?hash=${ground.transactionHash}`);
    demand(
      found.length === 1 && found[0]!['hash'] === ground.transactionHash,
      'the one transaction of that hash',
      found,
    );
    demand((await listAll(ground, endpoint.path)).length > 1, 'more without the filter', endpoint);
  },
};
