// SPDX-License-Identifier: Apache-2.0
import { randomBytes } from 'node:crypto';
import { CHAINS, EXTENDED_KEYS, deployToken, make, makeChannel, type Ground } from './ground.ts';

/** What a request for an endpoint is made of where the ground's own values do not do. */
export interface EndpointSample {
  readonly values?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly query?: string;
}

/** In the reference data, for those who create one. */
const MORE_CHAINS = [
  'eip155:10',
  'eip155:137',
  'eip155:8453',
  'eip155:42161',
  'eip155:59144',
  'eip155:43114',
  'eip155:100',
];
/** Values of the members that the specification names in bodies. */
export const BODY_VALUES: Readonly<Record<string, unknown>> = {
  name: 'sample',
  url: 'nats://127.0.0.1:9',
  subject: 'a.b',
  bot_token: '110201543:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsawx',
  chat_id: 42,
};

const freshAddress = async ({ api }: Ground): Promise<string> => {
  const value = `0x${randomBytes(20).toString('hex')}`;
  await make(api, { path: '/addresses/external', body: { value, chainFamily: 'evm' } });
  return value;
};

/** No project holds an extended key twice. */
const freshPublicKey = async ({ api }: Ground): Promise<string> => {
  const { items } = (await make(api, {
    path: '/public_keys',
    method: 'GET',
  })) as unknown as {
    items: { id: string; derivation_path: string }[];
  };
  const old = items.find(({ derivation_path: path }) => path === EXTENDED_KEYS.ypub.derivation_path);
  if (old !== undefined) await make(api, { path: `/public_keys/${old.id}?cascade=true`, method: 'DELETE' });
  return (await make(api, { path: '/public_keys', body: EXTENDED_KEYS.ypub })).id;
};

const channel = async (ground: Ground): Promise<EndpointSample> => {
  const { id } = await makeChannel(ground);
  return { values: { notification_channel_id: id, channel_id: id } };
};

const ofKind =
  (kind: 'nats' | 'telegram', body: object) =>
  async ({ api }: Ground): Promise<EndpointSample> => ({
    values: {
      notification_channel_id: (await make(api, { path: `/notification_channels/${kind}`, body })).id,
    },
  });
const withNode =
  (family: keyof typeof CHAINS) =>
  async ({ stack }: Ground): Promise<EndpointSample> => ({
    values: { chain_gid: CHAINS[family] },
    query: '?verify=false',
    body: { [family === 'tron' ? 'evm_endpoint_url' : 'endpoint_url']: stack.harness.chain.url },
  });

/** By method and path: what the specification does not show is as decisions.md has it. */
export const ENDPOINT_SAMPLES: Readonly<Record<string, (ground: Ground) => Promise<EndpointSample>>> = {
  'POST /blockchains': async ({ api }) => {
    const { items } = (await make(api, {
      path: '/blockchains?limit=100',
      method: 'GET',
    })) as unknown as {
      items: { gid: string }[];
    };
    return { body: { chain_gid: MORE_CHAINS.find((gid) => !items.some((chain) => chain.gid === gid)) } };
  },
  // The ground stands on the other one.
  'POST /blockchains/{chain_gid}/actions/deactivate': async () => ({ values: { chain_gid: CHAINS.evm } }),
  'PATCH /blockchains/{chain_gid}/evm': async ({ stack }) => ({
    body: { endpoint_url: stack.harness.chain.url },
  }),
  'PATCH /blockchains/{chain_gid}/solana': withNode('solana'),
  'PATCH /blockchains/{chain_gid}/tron': withNode('tron'),
  'PATCH /blockchains/{chain_gid}/bitcoin': withNode('bitcoin'),
  'POST /tokens/{chain_gid}/{asset_path}': async (ground) => ({
    values: { asset_path: `erc20:${await deployToken(ground)}` },
  }),
  'POST /public_keys': async (ground) => {
    await make(ground.api, {
      path: `/public_keys/${await freshPublicKey(ground)}`,
      method: 'DELETE',
    });
    return { body: EXTENDED_KEYS.ypub };
  },
  'PATCH /public_keys/{public_key_id}': async () => ({ body: { label: 'ground' } }),
  'DELETE /public_keys/{public_key_id}': async (ground) => ({
    values: { public_key_id: await freshPublicKey(ground) },
  }),
  'POST /addresses/external': async () => ({
    body: { value: `0x${randomBytes(20).toString('hex')}`, chainFamily: 'evm', label: 'sample' },
  }),
  'PATCH /addresses/{address}': async () => ({ body: { label: 'ground' } }),
  'DELETE /addresses/{address}': async (ground) => ({ values: { address: await freshAddress(ground) } }),
  'GET /addresses/{address}/hd': async ({ hdAddress }) => ({ values: { address: hdAddress } }),
  'PATCH /notification_channels/nats/{notification_channel_id}': ofKind('nats', {
    name: 'n',
    url: 'nats://127.0.0.1:9',
    subject: 'x',
  }),
  'PATCH /notification_channels/telegram/{notification_channel_id}': ofKind('telegram', {
    name: 't',
    bot_token: BODY_VALUES['bot_token'],
    chat_id: 1,
  }),
  'POST /notification_channels/webhook': async ({ observer }) => ({
    body: { name: 'sample', url: observer.url },
  }),
  'POST /channels': async ({ observer }) => ({ body: { name: 'sample', url: observer.url } }),
  'PATCH /notification_channels/webhook/{notification_channel_id}': async () => ({
    body: { name: 'ground' },
  }),
  'DELETE /notification_channels/{notification_channel_id}': channel,
  'POST /notification_channels/{notification_channel_id}/actions/archive': channel,
  'POST /notification_channels/{notification_channel_id}/actions/restore': channel,
  'POST /channels/{channel_id}/webhook-secrets/actions/rotate': channel,
  'DELETE /channels/{channel_id}/webhook-secrets/previous': async (ground) => {
    const sample = await channel(ground);
    await make(ground.api, {
      path: `/channels/${sample.values!['channel_id']}/webhook-secrets/actions/rotate`,
    });
    return sample;
  },
};
