// SPDX-License-Identifier: Apache-2.0
import { connectAs, type Client, type Reply } from '../client.ts';
import { check, interpret, type Check } from './check.ts';
import { demand } from './demand.ts';
import { ALIASED, type Ground } from './ground.ts';
import { codesOf, type Row } from './read-tables.ts';

const CALL = { jsonrpc: '2.0', id: 7, method: 'eth_getBlockByNumber', params: ['0x1', false] };
/** In the list of networks, and without a node here. */
const EMPTY_NETWORK = 'base';

const clientOf = ({ stack }: Ground, key: string | undefined = stack.tenant.keys.rpc): Client =>
  connectAs(stack.rpcUrl, key);

/** By the first cell, then the whole of the second. */
const ITEMS: readonly (readonly [RegExp, (match: RegExpExecArray) => Check | readonly Check[]])[] = [
  [
    /Method and path: `(\w+) \{rpc_url\}\/\{chain\}`/,
    ([, method]) =>
      check(`calls go by ${method} to the chain's path`, async (ground) => {
        const { status, body } = await clientOf(ground)(method!, `/${ground.values['chain']}`, CALL);
        demand(status === 200, '200', { status, body });
        for (const other of ['PUT', 'PATCH', 'DELETE'])
          demand(
            (await clientOf(ground)(other, `/${ground.values['chain']}`, CALL)).status >= 400,
            `no ${other}`,
            other,
          );
      }),
  ],
  [
    /`\{chain\}`: a CAIP-2 chain id or a network alias; the list of aliases: not shown/,
    () =>
      check('goes by id and by alias', async (ground) => {
        for (const name of [ground.values['chain']!, ALIASED.gid, ALIASED.alias])
          demand((await clientOf(ground)('POST', `/${name}`, CALL)).status === 200, `200 for ${name}`, name);
      }),
  ],
  [
    /Headers: ((?:`[^`]+`(?:, )?)+)/,
    ([, list]) =>
      codesOf(list!).map((header) =>
        check(`needs ${header}`, async (ground) => {
          const [name, value] = header.split(': ') as [string, string?];
          if (value === undefined) {
            demand(name === 'X-Api-Key', 'X-Api-Key', name);
            return expectRefusal(
              await connectAs(ground.stack.rpcUrl, undefined)('POST', `/${ground.values['chain']}`, CALL),
              401,
            );
          }
          demand(
            (
              await clientOf(ground)('POST', `/${ground.values['chain']}`, CALL, {
                [name.toLowerCase()]: value,
              })
            ).status === 200,
            `200 for ${header}`,
            header,
          );
          const other = await clientOf(ground)('POST', `/${ground.values['chain']}`, CALL, {
            [name.toLowerCase()]: 'text/plain',
          });
          demand(other.status >= 400, `a refusal of another ${name}`, other);
        }),
      ),
  ],
  [
    /Request body: JSON-RPC 2\.0 object with ((?:`\w+`(?:, )?)+)/,
    ([, members]) =>
      check('is a JSON-RPC 2.0 object', async (ground) => {
        demand(
          codesOf(members!).sort().join() === Object.keys(CALL).sort().join(),
          Object.keys(CALL).sort().join(),
          members,
        );
        for (const bad of [
          '',
          '{',
          '"x"',
          '{}',
          JSON.stringify({ ...CALL, jsonrpc: '1.0' }),
          JSON.stringify({ ...CALL, method: undefined }),
        ]) {
          const reply = await clientOf(ground)('POST', `/${ground.values['chain']}`, bad, {
            'content-type': 'application/json',
          });
          demand(reply.status === 400, `400 for ${bad}`, reply);
        }
      }),
  ],
  [
    /Response: the node's JSON-RPC response/,
    () =>
      check('is what the node says itself, its errors included', async (ground) => {
        for (const call of [
          CALL,
          { ...CALL, method: 'eth_noSuchMethod' },
          { ...CALL, method: 'eth_getBalance', params: ['no address'] },
        ]) {
          const [through, direct] = await Promise.all([
            clientOf(ground)('POST', `/${ground.values['chain']}`, call),
            connectAs(ground.stack.harness.chain.url, undefined)('POST', '/', call),
          ]);
          const refused = typeof (through.body as { error?: unknown }).error === 'string';
          demand(
            refused || JSON.stringify(through.body) === JSON.stringify(direct.body),
            JSON.stringify(direct.body),
            through,
          );
          demand(
            !refused || call.method === 'eth_noSuchMethod',
            'only what is no method of the chain to be stopped',
            through,
          );
        }
      }),
  ],
];

/** A row of the table of the RPC gateway. */
export function rpcItemChecks(row: Row): readonly Check[] {
  return interpret(`${row.cells['Item']}: ${row.cells['Value']}`, ITEMS);
}

const SITUATIONS: readonly (readonly [RegExp, (match: RegExpExecArray, status: number) => Check])[] = [
  [
    /missing API key/,
    (_, status) =>
      refusal(status, (ground) =>
        connectAs(ground.stack.rpcUrl, undefined)('POST', `/${ground.values['chain']}`, CALL),
      ),
  ],
  [
    /invalid API key/,
    (_, status) =>
      refusal(status, (ground) =>
        clientOf(ground, 'svc_rpc_0123456789ABCDEFGHIJKLMN2YbPlI')(
          'POST',
          `/${ground.values['chain']}`,
          CALL,
        ),
      ),
  ],
  [
    /network not found/,
    (_, status) => refusal(status, (ground) => clientOf(ground)('POST', '/no-such-network', CALL)),
  ],
  [
    /protocol mismatch/,
    (_, status) =>
      refusal(status, (ground) =>
        clientOf(ground)('POST', `/${ground.values['chain']}`, { ...CALL, method: 'getSlot' }),
      ),
  ],
  [
    /network unavailable/,
    (_, status) => refusal(status, (ground) => clientOf(ground)('POST', `/${EMPTY_NETWORK}`, CALL)),
  ],
];

/** A row of the table of what the RPC gateway stops itself. */
export function rpcErrorChecks(row: Row): readonly Check[] {
  return interpret(row.cells['Situation']!, SITUATIONS, Number(row.cells['HTTP status']));
}

function refusal(status: number, ask: (ground: Ground) => Promise<Reply>): Check {
  return check(`is ${status} with {error}`, async (ground) => expectRefusal(await ask(ground), status));
}

export function expectRefusal(reply: Reply, expected: number): void {
  const { error, ...more } = (typeof reply.body === 'object' ? reply.body : {}) as { error?: unknown };
  demand(
    reply.status === expected && typeof error === 'string' && Object.keys(more).length === 0,
    `${expected} with {error: <string>}`,
    reply,
  );
  for (const name of ['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset'])
    demand(
      /^\d+$/.test(reply.headers.get(name) ?? ''),
      `${name} on every response`,
      Object.fromEntries(reply.headers),
    );
}
