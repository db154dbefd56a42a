// SPDX-License-Identifier: Apache-2.0
import { randomBytes } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { generateApiKey } from '@chainwatch/common/api-key';
import { waitFor } from '@chainwatch/testing';
import { answerResult, startSpecNode, type SpecNode } from '../../../../apps/rpc-proxy/src/spec-node.ts';
import { RawClient, headOf, requestOf } from './raw-client.ts';
import { TenantsStack } from './tenants-stack.ts';

// What a tenant or a stranger may take from the others, which is nothing: the production bundle, with its own limits.

const MIB = 1_048_576;
const HELD = 'chainwatch_rpc_held_bytes';

const stack = new TenantsStack();
const clients: RawClient[] = [];
let node: SpecNode;

beforeAll(async () => {
  node = await startSpecNode();
  await stack.start(['rpc-proxy'], { 'eip155:1': [{ url: node.url }] }, { RPC_WRITE_TIMEOUT: '2s' });
});
afterAll(async () => {
  await stack.stop();
  await node?.stop();
});
beforeEach(() => {
  node.seen.length = 0;
  node.answer = answerResult('"0x1"');
});
afterEach(async () => {
  for (const { socket } of clients.splice(0)) socket.destroy();
  // Nothing stays behind.
  await waitFor(async () => (await stack.metric(HELD, 'of="process"')) === 0, {
    message: 'nothing to be held',
  });
});

const call = (params = '[]', id: number | string = 1): string =>
  `{"jsonrpc":"2.0","id":${id},"method":"eth_estimateGas","params":${params}}`;
const attackerKey = (): string => stack.attacker.keys.rpc;
const unknownKey = (): string => generateApiKey({ label: 'svc', type: 'rpc', randomBytes });

function open(isReading = true): RawClient {
  const client = new RawClient(stack.ports['rpc-proxy'], isReading);
  clients.push(client);
  return client;
}

/** The other tenant's calls, one after another: each answered, with its own id. */
async function expectVictimServed(count = 20): Promise<void> {
  for (let id = 0; id < count; id += 1)
    expect(await stack.call(call('[]', id))).toEqual({
      status: 200,
      text: `{"jsonrpc":"2.0","id":${id},"result":"0x1"}`,
    });
}

/** What is asked with `word` waits until it is released; everything else is answered at once. */
function holdCalls(word: string): (() => void)[] {
  const held: (() => void)[] = [];
  node.answer = (seen, res, req) =>
    void (seen.body.includes(word)
      ? held.push(() => answerResult('"held"')(seen, res, req))
      : answerResult('"0x1"')(seen, res, req));
  return held;
}

describe('answers that nobody reads', () => {
  const isBounded = async (most: { key: number; process: number }, memory: number): Promise<void> => {
    most.key = Math.max(most.key, await stack.metric(HELD, 'of="key"'));
    most.process = Math.max(most.process, await stack.metric(HELD, 'of="process"'));
    expect([most.key <= 64 * MIB, most.process <= 65 * MIB, stack.peakMemory() - memory < 250 * MIB]).toEqual(
      [true, true, true],
    );
  };

  it('of 50 connections with 100 calls each stay within the budget of their key, are cut, and delay nobody', async () => {
    const large = `"0x${'a'.repeat(126 * 1_024)}"`;
    node.answer = (seen, res, req) =>
      answerResult(seen.body.includes('large') ? large : '"0x1"')(seen, res, req);
    const [memory, most] = [stack.peakMemory(), { key: 0, process: 0 }];
    const cut = await stack.metric('chainwatch_rpc_cut_connections_total');
    for (let index = 0; index < 50; index += 1)
      open(false).send(requestOf(call('["large"]'), attackerKey()).repeat(100));
    await waitFor(async () => (await stack.metric('chainwatch_rpc_full_total', 'full="key"')) > 0, {
      message: 'the key to have no more room',
    });
    await isBounded(most, memory);
    await expectVictimServed();
    await waitFor(
      async () => {
        await isBounded(most, memory);
        return (await stack.metric('chainwatch_rpc_cut_connections_total')) > cut + 3;
      },
      {
        message: () =>
          `connections to be cut; held ${JSON.stringify(most)}, peak ${stack.peakMemory() - memory}`,
      },
    );
    await expectVictimServed();
  });

  it('to 100 batches on one connection stay within the budget of the connection', async () => {
    const huge = `"0x${'b'.repeat(3_500_000)}"`;
    node.answer = (seen, res, req) =>
      answerResult(seen.body.includes('huge') ? huge : '"0x1"')(seen, res, req);
    const memory = stack.peakMemory();
    const cut = await stack.metric('chainwatch_rpc_cut_connections_total');
    open(false).send(requestOf(`[${call('["huge"]', 1)},${call('["huge"]', 2)}]`, attackerKey()).repeat(100));
    await waitFor(async () => (await stack.metric('chainwatch_rpc_full_total', 'full="connection"')) > 0);
    expect(await stack.metric(HELD, 'of="process"')).toBeLessThanOrEqual(17 * MIB);
    await expectVictimServed();
    await waitFor(async () => (await stack.metric('chainwatch_rpc_cut_connections_total')) > cut, {
      message: 'the connection to be cut',
    });
    expect(stack.peakMemory() - memory).toBeLessThan(250 * MIB);
  });
});

describe('800 slow calls of one workspace', () => {
  it('have half of the node, wait for the rest, and delay nobody', async () => {
    const slow = holdCalls('slow');
    const keys = [attackerKey(), await stack.makeKey(stack.attacker)];
    const lanes = keys.flatMap((key) =>
      Array.from({ length: 4 }, () => open().send(requestOf(call('["slow"]'), key).repeat(100))),
    );
    await waitFor(() => slow.length === 128);
    await expectVictimServed();
    expect(slow).toHaveLength(128);
    const releasing = setInterval(() => slow.splice(0).forEach((answer) => answer()), 5);
    await waitFor(() => lanes.every(({ statuses }) => statuses.length === 100)).finally(() =>
      clearInterval(releasing),
    );
    for (const { said, statuses } of lanes)
      expect([new Set(statuses), said.match(/HTTP\/1.1 429[^]*?}/)?.[0]]).toEqual([
        new Set([200]),
        undefined,
      ]);
  });
});

describe('bodies of strangers that do not end', () => {
  it('are answered 401 or 429 and cut, and nothing of them is kept', async () => {
    const memory = stack.peakMemory();
    const strangers = Array.from({ length: 200 }, (_, index) =>
      open()
        .send(headOf(1_000_000, index % 2 === 0 ? undefined : unknownKey()))
        .send('x'.repeat(900_000)),
    );
    await expectVictimServed();
    await waitFor(() => strangers.every(({ isClosed }) => isClosed));
    // Who sends on may lose the answer with its connection.
    for (const { statuses } of strangers) expect([[], [401], [429]]).toContainEqual(statuses);
    expect(strangers.some(({ statuses }) => statuses.length === 1)).toBe(true);
    expect(stack.peakMemory() - memory).toBeLessThan(120 * MIB);
    expect(node.seen.filter(({ bytes }) => bytes.length > 1_000)).toEqual([]);
  });
});

describe('compressed bodies of strangers', () => {
  it('are not unpacked: 401 whatever is in them, where a key is told what is wrong with them', async () => {
    const bomb = gzipSync(Buffer.alloc(5 * MIB, 0x20));
    const broken = Buffer.concat([bomb.subarray(0, 500), randomBytes(500)]);
    const tell = async (body: Buffer, key?: string): Promise<number> =>
      (await stack.call(body, { key, headers: { 'content-encoding': 'gzip' } })).status;
    expect([await tell(bomb), await tell(broken)]).toEqual([413, 400]);
    for (const body of [bomb, broken]) expect([401, 429]).toContain(await tell(body, unknownKey()));
  });
});

describe('bodies for a node that hangs', () => {
  it('take the budget of their key: what is more is 429 with Retry-After, and others are served', async () => {
    holdCalls('hang');
    const memory = stack.peakMemory();
    const body = call(`["hang","${'c'.repeat(MIB - 200)}"]`);
    const lanes = Array.from({ length: 120 }, () => open().send(requestOf(body, attackerKey())));
    await waitFor(() => lanes.filter(({ statuses }) => statuses[0] === 429).length >= 120 - 64);
    await expectVictimServed();
    for (const { said, statuses } of lanes)
      if (statuses.length > 0)
        expect([statuses, said]).toEqual([[429], expect.stringContaining('Retry-After: 1\r\n')]);
    await waitFor(async () => (await stack.metric(HELD, 'of="key"')) > 48 * MIB);
    expect(await stack.metric(HELD, 'of="process"')).toBeLessThanOrEqual(65 * MIB);
    expect(stack.peakMemory() - memory).toBeLessThan(250 * MIB);
  });
});

describe('well-formed keys that nobody has', () => {
  it('are asked for as often as an address may fail, and keys that are known go on', async () => {
    const scans = async (): Promise<number> =>
      (
        await stack.db.query<{ n: number }>(
          `SELECT (seq_scan + coalesce(idx_scan, 0))::int AS n FROM pg_stat_user_tables WHERE relname = 'api_keys'`,
        )
      ).rows[0]!.n;
    await expectVictimServed(1);
    const before = await scans();
    const statuses: number[] = [];
    const lane = async (): Promise<void> => {
      while (statuses.length < 1_000) statuses.push((await stack.call(call(), { key: unknownKey() })).status);
    };
    await Promise.all([...Array.from({ length: 10 }, lane), expectVictimServed(100)]);
    const refused = statuses.filter((status) => status === 429).length;
    expect([refused + statuses.filter((status) => status === 401).length, refused > 800]).toEqual([
      statuses.length,
      true,
    ]);
    await expectVictimServed();
    // A session tells what it did at its end at the latest.
    stack.services.signal('rpc-proxy', 'SIGTERM');
    expect(await stack.services.waitExit('rpc-proxy')).toBe(0);
    const after = await waitFor(async () => {
      const [one, two] = [await scans(), await scans()];
      return one === two && one > before ? one : undefined;
    });
    expect(after - before).toBeLessThan(250);
    await stack.services.start(['rpc-proxy'], {
      PORT: String(stack.ports['rpc-proxy']),
      RPC_WRITE_TIMEOUT: '2s',
    });
  });
});
