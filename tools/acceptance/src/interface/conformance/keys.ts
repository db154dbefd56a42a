// SPDX-License-Identifier: Apache-2.0
import { connectAs } from '../client.ts';
import { check, interpret, UncheckedClaimError, type Check } from './check.ts';
import { demand } from './demand.ts';
import { ALIASED, make, type Ground } from './ground.ts';
import { codesOf, type Row } from './read-tables.ts';
import { listAll } from './samples.ts';
import { sayingOf } from './specification.ts';

type Kind = 'api' | 'rpc' | 'management';
const KINDS: Readonly<Record<string, Kind>> = {
  'API key': 'api',
  'RPC key': 'rpc',
  'Management key': 'management',
};

/** Where a key of each kind is let in. */
const DOORS: Readonly<Record<Kind, (ground: Ground, key: string) => Promise<readonly number[]>>> = {
  api: async ({ stack, values }, key) => {
    const ask = connectAs(stack.apiUrl, key);
    return (
      await Promise.all([
        ask('GET', '/addresses'),
        ask('GET', '/transactions'),
        ask('GET', `/addresses/${values['address']}/balances`),
      ])
    ).map(({ status }) => status);
  },
  rpc: async ({ stack }, key) => [
    (
      await connectAs(stack.rpcUrl, key)('POST', `/${ALIASED.alias}`, {
        jsonrpc: '2.0',
        id: 1,
        method: 'eth_chainId',
        params: [],
      })
    ).status,
  ],
  management: async ({ stack }, key) => {
    const ask = connectAs(stack.apiUrl, key);
    return (
      await Promise.all(
        ['workspace', 'projects', 'members', 'keys'].map((name) => ask('GET', `/management/${name}`)),
      )
    ).map(({ status }) => status);
  },
};

type Phrase = readonly [RegExp, (match: RegExpExecArray, kind: Kind) => Check];

const SCOPES: readonly Phrase[] = [
  [
    /project/,
    (_, kind) =>
      check('belongs to one project, and reaches nothing of another', async (ground) => {
        const { tenant, otherTenant, apiUrl } = ground.stack;
        demand(
          (await describeKey(ground, kind))['project_id'] === tenant.projectId,
          'the project of the key',
          kind,
        );
        const { status } = await connectAs(apiUrl, otherTenant.keys[kind])(
          'GET',
          `/addresses/${ground.values['address']}`,
        );
        demand(status === 404, '404 for the key of another project', status);
      }),
  ],
  [
    /workspace/,
    (_, kind) =>
      check('belongs to the workspace, and to no project', async (ground) => {
        demand((await describeKey(ground, kind))['project_id'] === null, 'no project', kind);
        if (kind !== 'management') return;
        const { tenant, apiUrl } = ground.stack;
        const management = connectAs(apiUrl, tenant.keys.management);
        const { id } = await make(management, { path: '/management/projects', body: { name: 'second' } });
        const ids = (await listAll({ api: management }, '/management/projects')).map(
          (project) => project['id'],
        );
        demand(ids.includes(id) && ids.includes(tenant.projectId), 'every project of the workspace', ids);
      }),
  ],
];

const USES: readonly Phrase[] = [
  [/platform API \(addresses, transactions, balances\)/, (_, kind) => onlyDoor(kind, 'api')],
  [/blockchain node access through the RPC gateway/, (_, kind) => onlyDoor(kind, 'rpc')],
  [/management interface \(workspaces, projects, members, keys\)/, (_, kind) => onlyDoor(kind, 'management')],
];

/** A row of the table of key types. */
export function keyChecks(row: Row): Check[] {
  const { Type: type, Prefix: prefix, Scope: scope, 'Used for': use } = row.cells as Record<string, string>;
  const kind = KINDS[type!];
  if (kind === undefined) throw new UncheckedClaimError(type!);
  const form = check(
    `begins with ${prefix}, random and check characters behind it`,
    async ({ specification, stack }) => {
      // The total of 40 is that of a label of five letters (decisions.md 1.1).
      const [, random, checksum] =
        /(\d+) random base62 characters, and (\d+) CRC32 check characters/.exec(
          sayingOf(specification, 'A key is 40 characters'),
        ) ?? [];
      const pattern = new RegExp(`^${codesOf(prefix!)[0]}[0-9A-Za-z]{${Number(random) + Number(checksum)}}$`);
      demand(pattern.test(stack.tenant.keys[kind]), pattern.source, stack.tenant.keys[kind]);
    },
  );
  return [form, ...interpret(scope!, SCOPES, kind), ...interpret(use!, USES, kind)];
}

function onlyDoor(kind: Kind, own: Kind): Check {
  return check(`opens the ${own} door and no other`, async (ground) => {
    for (const [door, knock] of Object.entries(DOORS)) {
      const statuses = await knock(ground, ground.stack.tenant.keys[kind]);
      const expected = door === own ? 200 : 403;
      demand(
        statuses.every((status) => status === expected),
        `${expected} at the ${door} door`,
        statuses,
      );
    }
  });
}

async function describeKey({ stack }: Ground, kind: Kind): Promise<Readonly<Record<string, unknown>>> {
  const keys = await listAll(
    { api: connectAs(stack.apiUrl, stack.tenant.keys.management) },
    '/management/keys',
  );
  return keys.find(({ name }) => name === `bootstrap ${kind === 'management' ? 'mgt' : kind}`) ?? {};
}
