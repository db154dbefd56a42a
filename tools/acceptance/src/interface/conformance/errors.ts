// SPDX-License-Identifier: Apache-2.0
import { waitFor } from '@chainwatch/testing';
import { check, interpret, type Check } from './check.ts';
import { demand } from './demand.ts';
import { connectAs, type Reply } from '../client.ts';
import { FAILED_AUTH_LIMIT } from '../interface-stack.ts';
import { EXTENDED_KEYS, unknownValues, type Ground } from './ground.ts';
import { codesOf, type Row } from './read-tables.ts';
import { expectRefused } from './fields.ts';
import { sayingOf } from './specification.ts';

/** How each condition comes about: every reply has the status of its row. */
const CONDITIONS: readonly (readonly [RegExp, () => (ground: Ground) => Promise<readonly Reply[]>])[] = [
  [
    /invalid or missing request fields/,
    () =>
      async ({ api }) =>
        Promise.all([
          api('POST', '/notification_channels/nats', {}),
          api('GET', '/blocks?limit=x'),
          api('GET', '/blocks?no_such=1'),
          api('POST', '/blockchains', '{'),
        ]),
  ],
  [
    /missing or invalid API key/,
    () =>
      async ({ stack }) => {
        const { keys } = stack.tenant;
        const replies = [
          undefined,
          '',
          `${keys.api.slice(0, -1)}${keys.api.endsWith('0') ? '1' : '0'}`,
          'svc_api_0123456789ABCDEFGHIJKLMN2YbPlI',
        ].map((key, index) =>
          connectAs(stack.apiUrl, key)('GET', '/addresses', undefined, {
            'x-forwarded-for': `192.0.2.${index}`,
          }),
        );
        return [...(await Promise.all(replies)), await askWithRevoked(stack)];
      },
  ],
  [
    /valid key, insufficient permissions/,
    () =>
      async ({ stack }) => {
        const { keys } = stack.tenant;
        const management = connectAs(stack.apiUrl, keys.management);
        const { body } = await management('POST', '/management/keys', {
          type: 'api',
          name: 'r',
          project_id: stack.tenant.projectId,
          permissions: ['api:address:read'],
        });
        const reader = connectAs(stack.apiUrl, (body as { key: string }).key);
        return Promise.all([
          reader('GET', '/transactions'),
          reader('POST', '/addresses/external', {}),
          connectAs(stack.apiUrl, keys.rpc)('GET', '/addresses'),
          management('GET', '/addresses'),
        ]);
      },
  ],
  [
    /resource does not exist \(also HD\/external representation mismatch\)/,
    () =>
      async ({ api, values, hdAddress, stack }) => {
        const unknown = unknownValues();
        const others = connectAs(stack.apiUrl, stack.otherTenant.keys.api);
        return Promise.all([
          api('GET', `/addresses/${unknown['address']}`),
          api('GET', `/addresses/${values['address']}/hd`),
          api('GET', `/addresses/${hdAddress}/external`),
          others('GET', `/addresses/${values['address']}`),
          api('GET', '/nothing'),
        ]);
      },
  ],
  [
    /resource state conflict, for example an address that already exists/,
    () =>
      async ({ api, values }) =>
        Promise.all([
          api('POST', '/addresses/external', { value: values['address'], chainFamily: 'evm' }),
          api('POST', '/blockchains', { chain_gid: values['chain_gid'] }),
          api('POST', '/public_keys', EXTENDED_KEYS.zpub),
        ]),
  ],
  [
    /business precondition failed/,
    () =>
      async ({ api }) =>
        Promise.all([
          api('POST', '/blockchains', { chain_gid: 'eip155:424242' }),
          api('POST', '/blockchains/eip155:1/actions/activate'),
          api('POST', '/public_keys', {
            ...EXTENDED_KEYS.zpub,
            derivation_path: EXTENDED_KEYS.xpub.derivation_path,
          }),
        ]),
  ],
  [
    /rate limit exceeded; body detail is a rate-limit message/,
    () =>
      async ({ stack }) => {
        const guess = connectAs(stack.apiUrl, 'guess');
        for (let count = 0; count < FAILED_AUTH_LIMIT; count += 1)
          await guess('GET', '/version', undefined, { 'x-forwarded-for': '198.51.100.1' });
        const reply = await guess('GET', '/version', undefined, { 'x-forwarded-for': '198.51.100.1' });
        demand(
          /rate limit/i.test(String((reply.body as { detail?: unknown }).detail)),
          'a detail about the rate limit',
          reply,
        );
        demand(
          Number(reply.headers.get('x-ratelimit-reset')) >= Math.floor(Date.now() / 1_000),
          'X-RateLimit-Reset ahead',
          reply,
        );
        return [reply];
      },
  ],
  [
    /unexpected server error/,
    () =>
      async ({ stack, api }) => {
        // No input does it: a table of the service is taken away for a moment.
        const { db } = stack.harness;
        await db.query('ALTER TABLE public_keys RENAME TO public_keys_away');
        try {
          return [await api('GET', `/public_keys/${unknownValues()['public_key_id']}`)];
        } finally {
          await db.query('ALTER TABLE public_keys_away RENAME TO public_keys');
        }
      },
  ],
  [
    /upstream service unavailable/,
    () =>
      async ({ api }) => [
        await api('PATCH', '/blockchains/eip155:1/evm', { endpoint_url: 'http://127.0.0.1:9' }),
      ],
  ],
  [
    /server temporarily overloaded/,
    () =>
      async ({ stack, api }) => {
        // The database ends a session that waits, as one does that has too many.
        const { db } = stack.harness;
        const endWaiting =
          "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock' AND query ILIKE '%public_keys%'";
        return db.transaction(async (sql) => {
          await sql.query('LOCK TABLE public_keys');
          const reply = api('GET', `/public_keys/${unknownValues()['public_key_id']}`);
          await waitFor(async () => (await db.query(endWaiting)).rows.length > 0, {
            message: 'the request to wait for the table',
          });
          return [await reply];
        });
      },
  ],
];

/** A row of the table of errors: the condition brought about, and the whole problem document that comes. */
export function errorChecks(row: Row): Check[] {
  const { Status: status, Title: title, Condition: condition } = row.cells as Record<string, string>;
  const says = `${status} ${title} when: ${condition}`;
  return interpret(
    condition!,
    CONDITIONS.map(
      ([pattern, bring]) =>
        [
          pattern,
          () =>
            check(says, async (ground) => {
              for (const reply of await bring()(ground))
                await expectProblem(ground, { reply, expected: Number(status), title: title! });
              if (status === '400')
                await expectRefused(ground.api, {
                  path: '/notification_channels/nats',
                  body: { name: 'n' },
                  field: 'url',
                });
            }),
        ] as const,
    ),
  ).slice();
}

/** The media type, the members that are always there, and the type URI where the specification shows it. */
export async function expectProblem(
  { specification }: Pick<Ground, 'specification'>,
  {
    reply: { status, headers, body },
    expected,
    title,
  }: { readonly reply: Reply; readonly expected: number; readonly title: string },
): Promise<void> {
  const problem = (typeof body === 'object' ? body : undefined) as
    | Readonly<Record<string, unknown>>
    | undefined;
  demand(
    status === expected && problem?.['status'] === expected && problem['title'] === title,
    `${expected} ${title}`,
    { status, body },
  );
  demand(
    /^application\/problem\+json/.test(headers.get('content-type') ?? ''),
    'application/problem+json',
    headers.get('content-type'),
  );
  demand(typeof problem['type'] === 'string', 'a type', body);
  for (const name of codesOf(sayingOf(specification, 'Every response carries ')))
    demand(/^\d+$/.test(headers.get(name) ?? ''), `${name} on every response`, Object.fromEntries(headers));
  if (sayingOf(specification, 'The `type` values for ').split(':')[0]!.includes(String(expected))) return;
  const shown = codesOf(sayingOf(specification, 'Problem `type` values seen:').split('. ')[0]!).map((uri) =>
    uri.replace(/^\{\w+\}/, ''),
  );
  const path = shown.find((uri) => uri.endsWith(`/${PROBLEM_NAMES[expected]}`));
  demand(
    path !== undefined && String(problem['type']).endsWith(path),
    `a type that ends with ${path ?? `one of ${shown.join(', ')}`}`,
    problem['type'],
  );
}

/** The last part of the type URIs that the specification shows. */
const PROBLEM_NAMES: Readonly<Record<number, string>> = {
  400: 'invalid-request',
  401: 'unauthorized',
  403: 'forbidden',
  404: 'not-found',
  429: 'rate-limit',
  500: 'internal-error',
};

async function askWithRevoked({ apiUrl, tenant }: Ground['stack']): Promise<Reply> {
  const management = connectAs(apiUrl, tenant.keys.management);
  const { body } = await management('POST', '/management/keys', {
    type: 'api',
    name: 'gone',
    project_id: tenant.projectId,
    permissions: ['api:address:read'],
  });
  const { id, key } = body as { id: string; key: string };
  await management('DELETE', `/management/keys/${id}`);
  return connectAs(apiUrl, key)('GET', '/addresses', undefined, { 'x-forwarded-for': '192.0.2.9' });
}
