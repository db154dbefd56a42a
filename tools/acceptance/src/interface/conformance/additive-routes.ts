// SPDX-License-Identifier: Apache-2.0
import { randomBytes, randomUUID } from 'node:crypto';
import { connectAs, type Reply } from '../client.ts';
import { check, type Check } from './check.ts';
import { demand } from './demand.ts';
import type { EndpointSample } from './endpoint-samples.ts';
import { doorChecks } from './endpoints.ts';
import { make, type Ground } from './ground.ts';
import { fill, type Endpoint } from './send-sample.ts';

type Json = Readonly<Record<string, unknown>>;

/** A route that decisions.md §12 and §14 add to the specification. */
interface AdditiveRoute extends Endpoint {
  readonly status: number;
  /** Of the request whose answer is looked at, where the one of `method` never ends. */
  readonly asked?: 'HEAD';
  /** Asked for in `Accept`; default JSON. */
  readonly accept?: string;
  readonly sample?: (ground: Ground) => Promise<EndpointSample>;
  /** What the answer shows. */
  readonly shows: (body: Json, ground: Ground) => boolean;
}

const freshAddresses = (count: number): { value: string }[] =>
  Array.from({ length: count }, () => ({ value: `0x${randomBytes(20).toString('hex')}` }));
const itemsOf = (body: Json): readonly Json[] => body['items'] as Json[];
const transactionOf = async ({ api, transactionHash }: Ground): Promise<Json> =>
  itemsOf(await make(api, { path: `/transactions?hash=${transactionHash}`, method: 'GET' }))[0]!;
const linesOf = (body: unknown): string[] => String(body).trimEnd().split(/\r?\n/);
const channelOfKind =
  (kind: string, body: object) =>
  async ({ api }: Ground): Promise<EndpointSample> => ({
    values: {
      notification_channel_id: (await make(api, { path: `/notification_channels/${kind}`, body })).id,
    },
    body: { name: 'renamed' },
  });
const withPolicy = async ({ api, values }: Ground): Promise<EndpointSample> => {
  await make(api, {
    path: `/confirmation_policies/${values['chain_gid']}`,
    body: { type: 'depth', depth: 500 },
    method: 'PUT',
  });
  return {};
};
const portalOf = (values: Ground['values']): object => ({
  channel_ids: [values['notification_channel_id']],
  ttl_seconds: 600,
});
const withPortal = async ({ api, values }: Ground): Promise<EndpointSample> => ({
  values: { portal_session_id: (await make(api, { path: '/portal_sessions', body: portalOf(values) })).id },
});
const SLACK = {
  name: 's',
  url: 'https://hooks.slack.com/services/T00000000/B00000000/XXXXXXXXXXXXXXXXXXXXXXXX',
};
const HTTP_BATCH = { name: 'h', url: 'https://127.0.0.1:9/events' };
const KAFKA = {
  name: 'k',
  brokers: ['127.0.0.1:9'],
  topic: 't',
  auth: { type: 'plain', username: 'u', password: 'hunter2' },
};
const RABBITMQ = {
  name: 'r',
  url: 'amqp://127.0.0.1:9/v',
  routing_key: 'q',
  auth: { type: 'user', username: 'u', password: 'hunter2' },
};
const REDIS_STREAM = {
  name: 'r',
  url: 'redis://127.0.0.1:9',
  stream: 's',
  auth: { type: 'user', username: 'u', password: 'hunter2' },
};
const SQS = {
  name: 'q',
  queue_url: 'https://127.0.0.1:9/1/q',
  region: 'eu-central-1',
  auth: { access_key_id: 'AKIAIOSFODNN7EXAMPLE', secret_access_key: 'hunter2hunter2hunter2' },
};
const EMAIL = { name: 'e', recipients: ['ops@example.com'] };
const DISCORD = {
  name: 'd',
  url: 'https://discord.com/api/webhooks/223704706495545344/hunter2hunter2hunter2hun',
};

export const ADDITIVE_ROUTES: readonly AdditiveRoute[] = [
  {
    ...{ method: 'POST', path: '/addresses/external/batch', status: 200 },
    sample: async () => ({
      body: { chain_family: 'evm', addresses: [...freshAddresses(2), { value: '0x1' }] },
    }),
    shows: (body) =>
      itemsOf(body)
        .map(({ status }) => status)
        .join() === 'created,created,invalid',
  },
  {
    ...{ method: 'PATCH', path: '/addresses', status: 200 },
    sample: async ({ values }) => ({ body: { items: [{ address: values['address'], label: 'ground' }] } }),
    shows: (body) => itemsOf(body).length === 1,
  },
  {
    ...{ method: 'POST', path: '/addresses/check', status: 200 },
    sample: async ({ values }) => ({ body: { addresses: [{ value: values['address'] }, { value: '0x1' }] } }),
    shows: (body) =>
      itemsOf(body)
        .map(({ status }) => status)
        .join() === 'exists,invalid',
  },
  {
    ...{ method: 'POST', path: '/addresses/balances/query', status: 200 },
    sample: async ({ values }) => ({ body: { addresses: [values['address'], '0x1'] } }),
    shows: (body) => itemsOf(body).length === 1 && (body['not_found'] as string[])[0] === '0x1',
  },
  {
    ...{ method: 'POST', path: '/addresses/{address}/actions/backfill', status: 202 },
    sample: async ({ values, stack }) => ({
      body: { history: { [values['chain_gid']!]: stack.harness.startBlock } },
    }),
    shows: () => true,
  },
  {
    ...{ method: 'GET', path: '/addresses/{address}/balances', status: 200 },
    sample: async ({ api, values }) => {
      const gid = values['chain_gid']!;
      const { watched_from } = await make(api, {
        path: `/addresses/${values['address']}`,
        method: 'GET',
      });
      return { query: `?at_block=${(watched_from as Json)[gid]}&chain_gid=${gid}` };
    },
    shows: (body, { values }) => `${values['chain_gid']}/slip44:60` in body,
  },
  {
    ...{ method: 'GET', path: '/addresses/{address}/balances/history', status: 200 },
    shows: (body) => itemsOf(body).length > 0,
  },
  {
    ...{ method: 'GET', path: '/transactions/{transaction_id}', status: 200 },
    sample: async (ground) => ({ values: { transaction_id: String((await transactionOf(ground))['id']) } }),
    shows: (body, { transactionHash }) => body['hash'] === transactionHash,
  },
  {
    ...{ method: 'GET', path: '/transactions/{chain_gid}/{hash}', status: 200 },
    sample: async ({ transactionHash }) => ({ values: { hash: transactionHash } }),
    shows: (body, { transactionHash }) => body['hash'] === transactionHash,
  },
  {
    ...{ method: 'PUT', path: '/confirmation_policies/{chain_gid}', status: 200 },
    sample: async () => ({ body: { type: 'finalized' } }),
    shows: (body) => body['type'] === 'finalized',
  },
  {
    ...{ method: 'GET', path: '/confirmation_policies/{chain_gid}', status: 200, sample: withPolicy },
    shows: (body) => body['depth'] === 500,
  },
  {
    ...{ method: 'GET', path: '/confirmation_policies', status: 200, sample: withPolicy },
    shows: (body) => itemsOf(body).length > 0,
  },
  {
    ...{ method: 'DELETE', path: '/confirmation_policies/{chain_gid}', status: 204, sample: withPolicy },
    shows: (body) => body === undefined,
  },
  {
    ...{ method: 'GET', path: '/events', status: 200 },
    sample: async () => ({ query: '?after=0&limit=1' }),
    shows: (body) => itemsOf(body).length === 1 && Number((body['meta'] as Json)['last_position']) > 0,
  },
  ...(['text/csv', 'application/x-ndjson'] as const).flatMap((accept) =>
    [
      '/addresses',
      '/transactions',
      '/events',
      '/notification_channels/{notification_channel_id}/deliveries',
    ].map((path) => ({
      ...{ method: 'GET', path, status: 200, accept },
      shows: (body: Json) =>
        accept === 'text/csv'
          ? linesOf(body).length > 1 &&
            linesOf(body)[0]!.split(',').includes('created_at') === (path !== '/transactions')
          : linesOf(typeof body === 'string' ? body : JSON.stringify(body)).every(
              (line) => typeof JSON.parse(line) === 'object',
            ),
    })),
  ),
  {
    ...{ method: 'POST', path: '/notification_channels/slack', status: 201 },
    sample: async () => ({ body: SLACK }),
    shows: (body) => body['kind'] === 'slack' && !JSON.stringify(body).includes('XXXX'),
  },
  {
    ...{ method: 'PATCH', path: '/notification_channels/slack/{notification_channel_id}', status: 200 },
    sample: channelOfKind('slack', SLACK),
    shows: (body) => body['name'] === 'renamed',
  },
  {
    ...{ method: 'POST', path: '/notification_channels/discord', status: 201 },
    sample: async () => ({ body: DISCORD }),
    shows: (body) => body['kind'] === 'discord' && !JSON.stringify(body).includes('hunter2'),
  },
  {
    ...{ method: 'PATCH', path: '/notification_channels/discord/{notification_channel_id}', status: 200 },
    sample: channelOfKind('discord', DISCORD),
    shows: (body) => body['name'] === 'renamed',
  },
  {
    ...{ method: 'POST', path: '/notification_channels/http_batch', status: 201 },
    sample: async () => ({ body: HTTP_BATCH }),
    shows: (body) => body['kind'] === 'http_batch' && !JSON.stringify(body).includes('hunter2'),
  },
  {
    ...{ method: 'PATCH', path: '/notification_channels/http_batch/{notification_channel_id}', status: 200 },
    sample: channelOfKind('http_batch', HTTP_BATCH),
    shows: (body) => body['name'] === 'renamed',
  },
  {
    ...{ method: 'POST', path: '/notification_channels/kafka', status: 201 },
    sample: async () => ({ body: KAFKA }),
    shows: (body) => body['kind'] === 'kafka' && !JSON.stringify(body).includes('hunter2'),
  },
  {
    ...{ method: 'PATCH', path: '/notification_channels/kafka/{notification_channel_id}', status: 200 },
    sample: channelOfKind('kafka', KAFKA),
    shows: (body) => body['name'] === 'renamed',
  },
  {
    ...{ method: 'POST', path: '/notification_channels/rabbitmq', status: 201 },
    sample: async () => ({ body: RABBITMQ }),
    shows: (body) => body['kind'] === 'rabbitmq' && !JSON.stringify(body).includes('hunter2'),
  },
  {
    ...{ method: 'PATCH', path: '/notification_channels/rabbitmq/{notification_channel_id}', status: 200 },
    sample: channelOfKind('rabbitmq', RABBITMQ),
    shows: (body) => body['name'] === 'renamed',
  },
  {
    ...{ method: 'POST', path: '/notification_channels/redis_stream', status: 201 },
    sample: async () => ({ body: REDIS_STREAM }),
    shows: (body) => body['kind'] === 'redis_stream' && !JSON.stringify(body).includes('hunter2'),
  },
  {
    ...{
      method: 'PATCH',
      path: '/notification_channels/redis_stream/{notification_channel_id}',
      status: 200,
    },
    sample: channelOfKind('redis_stream', REDIS_STREAM),
    shows: (body) => body['name'] === 'renamed',
  },
  {
    ...{ method: 'POST', path: '/notification_channels/sqs', status: 201 },
    sample: async () => ({ body: SQS }),
    shows: (body) => body['kind'] === 'sqs' && !JSON.stringify(body).includes('hunter2'),
  },
  {
    ...{ method: 'PATCH', path: '/notification_channels/sqs/{notification_channel_id}', status: 200 },
    sample: channelOfKind('sqs', SQS),
    shows: (body) => body['name'] === 'renamed',
  },
  {
    ...{ method: 'POST', path: '/notification_channels/email', status: 201 },
    sample: async () => ({ body: EMAIL }),
    shows: (body) => body['kind'] === 'email' && body['status'] === 'failed',
  },
  {
    ...{ method: 'PATCH', path: '/notification_channels/email/{notification_channel_id}', status: 200 },
    sample: channelOfKind('email', EMAIL),
    shows: (body) => body['name'] === 'renamed',
  },
  {
    ...{ method: 'GET', path: '/events/stream', status: 200, asked: 'HEAD' },
    shows: (body) => body === undefined,
  },
  {
    ...{ method: 'PUT', path: '/management/workspaces/{workspace_id}/quotas', status: 200 },
    sample: async () => ({ body: { streams: 99 } }),
    shows: (body) => body['streams'] === 99,
  },
  {
    ...{ method: 'GET', path: '/management/workspaces/{workspace_id}/quotas', status: 200 },
    shows: (body) => typeof body['streams'] === 'number' && 'used' in body,
  },
  {
    ...{ method: 'POST', path: '/portal_sessions', status: 201 },
    sample: async ({ values }) => ({ body: portalOf(values) }),
    shows: (body) => /\/ui\/portal\/[-0-9a-f]{36}#\w+_portal_\w{36}$/.test(String(body['url'])),
  },
  {
    ...{ method: 'GET', path: '/portal_sessions', status: 200, sample: withPortal },
    shows: (body) => itemsOf(body).length > 0,
  },
  {
    ...{ method: 'GET', path: '/portal_sessions/{portal_session_id}', status: 200, sample: withPortal },
    shows: (body) => !JSON.stringify(body).includes('_portal_'),
  },
  {
    ...{ method: 'DELETE', path: '/portal_sessions/{portal_session_id}', status: 204, sample: withPortal },
    shows: (body) => body === undefined,
  },
];

/** That the route is there, is guarded as those of the specification are, and answers. */
export function additiveChecks(route: AdditiveRoute): Check[] {
  const onGround = (ground: Ground): Ground => ({
    ...ground,
    ...(route.path.startsWith('/management/') && {
      api: connectAs(ground.stack.apiUrl, ground.stack.tenant.keys.management),
    }),
    values: {
      ...{ transaction_id: randomUUID(), hash: '0x2', portal_session_id: randomUUID() },
      workspace_id: ground.stack.tenant.workspaceId,
      ...ground.values,
    },
  });
  const doors = route.accept === undefined ? doorChecks(route, route.sample) : [];
  return [...doors, answerCheck(route)].map(({ says, prove }) =>
    check(says, (ground) => prove(onGround(ground))),
  );
}

function answerCheck({ method, path, status, asked, accept, sample, shows }: AdditiveRoute): Check {
  return check(`answers ${status}${accept === undefined ? '' : ` as ${accept}`}`, async (ground) => {
    const { values, query = '', body } = (await sample?.(ground)) ?? {};
    const target = fill(path, { ...ground.values, ...values }) + query;
    const headers: Record<string, string> = accept === undefined ? {} : { accept };
    const reply: Reply = await ground.api(asked ?? method, target, body, headers);
    demand(reply.status === status && shows(reply.body as Json, ground), `${status} of ${method} ${target}`, {
      status: reply.status,
      body: reply.body,
    });
    if (accept !== undefined)
      demand(
        reply.headers.get('content-type')?.startsWith(accept) === true,
        accept,
        reply.headers.get('content-type'),
      );
  });
}
