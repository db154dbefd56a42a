// SPDX-License-Identifier: Apache-2.0
import { connectAs, type Client } from '../client.ts';
import type { InterfaceStack } from '../interface-stack.ts';

const outsider = '0xd8da6bf26964af9d7eed9e03e53415d37aa96045';
const bitcoin = 'bip122:000000000019d6689c085ae165831e93';
/** Of the mnemonic "abandon … about", as BIP-84, BIP-49 and SLIP-132 publish them. */
const zpub = {
  extended_public_key:
    'zpub6rFR7y4Q2AijBEqTUquhVz398htDFrtymD9xYYfG1m4wAcvPhXNfE3EfH1r1ADqtfSdVCToUG868RvUUkgDKf31mGDtKsAYz2oz2AGutZYs',
  derivation_path: "m/84'/0'/0'",
};
const ypub = {
  extended_public_key:
    'ypub6Ww3ibxVfGzLrAH1PNcjyAWenMTbbAosGNB6VvmSEgytSER9azLDWCxoJwW7Ke7icmizBMXrzBx9979FfaHxHcrArf3zbeJJJUZPf663zsP',
  derivation_path: "m/49'/0'/0'",
};
const botToken = '110201543:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsawx';

/** Makes one of everything for requests to name, anew after each operation: some of them delete what they find. */
export async function arrangeKnown({
  fuzzedTenant: tenant,
  apiUrl,
  harness,
}: InterfaceStack): Promise<Record<string, readonly unknown[]>> {
  const api = connectAs(apiUrl, tenant.keys.api);
  const management = connectAs(apiUrl, tenant.keys.management);
  const { chain, receiver } = harness;
  const { accounts, deployed } = chain.actor;
  const { webhook, nats, telegram, publicKey, project, delivery, key, member, portal } = await makeOneOfEach(
    { api, management },
    { hookUrl: receiver.url, account: accounts[1]! },
  );
  const { items: publicKeys } = (await api('GET', '/public_keys')).body as { items: { id: string }[] };
  const channels = [webhook.id, nats.id, telegram.id];
  return {
    ...CONSTANT_VALUES,
    chain_gid: [chain.gid, chain.gid, 'eip155:1', 'eip155:2', bitcoin, 'tron:mainnet'],
    asset_path: [
      'slip44:60',
      'slip44:0',
      `erc20:${deployed.token}`,
      `erc20:${outsider}`,
      'token:x',
      'erc20:%41',
    ],
    asset_gid: [`${chain.gid}/slip44:60`, `${chain.gid}/erc20:${deployed.token}`],
    address: [outsider, accounts[1]!, 'bc1qcr8te4kr609gcawutmrza0j4xv80jy8z306fyu', 'nope'],
    value: [outsider, accounts[1]!, accounts[2]!, 'bc1qcr8te4kr609gcawutmrza0j4xv80jy8z306fyu'],
    channel_id: channels,
    notification_channel_id: channels,
    delivery_id: [delivery.id],
    event_id: [delivery.event_id!],
    project_id: [project.id, project.id, '00000000-0000-4000-8000-000000000000'],
    key_id: [key.id],
    member_id: [member.id],
    portal_session_id: [portal.id],
    public_key_id: [
      ...publicKeys.slice(0, 2).map(({ id }) => id),
      publicKey.id ?? '00000000-0000-4000-8000-000000000000',
    ],
    url: [
      receiver.url,
      'https://10.1.2.3/',
      'nats://127.0.0.1:9',
      'nats://%zz@127.0.0.1',
      'tls://u:p@10.0.0.1',
      'http://169.254.169.254/latest',
    ],
    endpoint_url: [chain.url, 'http://10.1.2.3:8545', 'http://127.0.0.1:9'],
    evm_endpoint_url: [chain.url, 'http://10.1.2.3:8545'],
  };
}

const moments = ['0000-01-01T00:00:00Z', '2026-01-01T00:00:00Z', '9999-12-31T23:59:59Z'];

/** What is nobody's, and needs nothing made before. */
const CONSTANT_VALUES: Readonly<Record<string, readonly unknown[]>> = {
  block_number: [0, 1, 2, 9_007_199_254_740_991],
  subject: ['a.b', 'a.*', '$SYS.x'],
  bot_token: [botToken],
  email: [
    'a@example.com',
    'A@Example.com',
    `${'a'.repeat(60)}@example.com`,
    'a@b',
    'a b@example.com',
    '"a"@example.com',
    'ä@example.com',
  ],
  expires_at: [
    '2999-01-01T00:00:00Z',
    '2999-01-01T00:00:00+14:00',
    '2001-01-01T00:00:00Z',
    '9999-12-31T23:59:59-23:59',
  ],
  since: moments,
  until: moments,
  extended_public_key: [
    zpub.extended_public_key,
    ypub.extended_public_key,
    zpub.extended_public_key.slice(0, -1),
    zpub.extended_public_key.replace('zpub', 'zprv'),
  ],
  derivation_path: [zpub.derivation_path, ypub.derivation_path, "m/84'/0'/1'", "m/84'/0'"],
  frame_origin: ['https://shop.example.com', 'http://localhost:3000', 'https://a;b', 'https://a/'],
  from: [0, 5, 2 ** 31 - 1],
  to: [0, 20, 2 ** 31 - 1],
};

async function makeOneOfEach(
  { api, management }: { readonly api: Client; readonly management: Client },
  { hookUrl, account }: { readonly hookUrl: string; readonly account: string },
) {
  const made = async (
    client: Client,
    path: string,
    body?: object,
  ): Promise<{ id: string } & Record<string, string>> => (await client('POST', path, body)).body as never;
  const [webhook, nats, telegram, publicKey, project] = await Promise.all([
    made(api, '/channels', { name: 'c', url: hookUrl }),
    made(api, '/channels/nats', { name: 'n', url: 'nats://127.0.0.1:9', subject: 'a' }),
    made(api, '/channels/telegram', { name: 't', bot_token: botToken, chat_id: 1 }),
    made(api, '/public_keys', zpub),
    made(management, '/management/projects', { name: 'p' }),
    made(api, '/blockchains', { chain_gid: bitcoin }),
    made(api, '/blockchains', { chain_gid: 'eip155:1' }),
    made(api, '/addresses/external', { value: outsider, chain_family: 'evm' }),
    made(api, '/addresses/external', { value: account, chain_family: 'evm' }),
  ]);
  const [delivery, key, member, portal] = await Promise.all([
    made(api, `/channels/${webhook.id}/actions/test`),
    made(management, '/management/keys', {
      type: 'api',
      name: 'k',
      project_id: project.id,
      permissions: ['api:address:read'],
    }),
    made(management, '/management/members', { email: `${project.id}@example.com`, role: 'owner' }),
    made(api, '/portal_sessions', { channel_ids: [webhook.id], ttl_seconds: 600 }),
  ]);
  return { webhook, nats, telegram, publicKey, project, delivery, key, member, portal };
}
