import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { waitFor } from '@chainwatch/testing';
import { sendJson, startSpecNode, type SpecNode } from './spec-node.ts';
import { startSpecWorld, type SpecWorld } from './spec-world.ts';

const fixtures = join(import.meta.dirname, '../../../../shared/fixtures');

interface Pair {
  readonly name: string;
  readonly request: string;
  readonly reply: string;
}

/** `>>` is what is sent, `<<` what the node answers. */
function readPairs(): Pair[] {
  const root = join(fixtures, 'conformance/execution-apis/tests');
  const files = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.io'));
  return files.flatMap((name) => {
    const lines = readFileSync(join(root, name), 'utf8').split('\n');
    return lines.flatMap((line, index) => (line.startsWith('>> ') ? [{ name, request: line.slice(3), reply: lines.slice(index + 1).find((next) => next.startsWith('<< '))!.slice(3) }] : []));
  });
}

interface NodeError {
  readonly code?: number;
  readonly message?: string;
  readonly data?: unknown;
}

/** Every error of the catalogues as a node would write it. */
function readErrors(): { family: string; error: NodeError }[] {
  const read = (name: string): unknown => JSON.parse(readFileSync(join(fixtures, 'errors', name), 'utf8'));
  const lava = (read('node-error-catalogue-lava.json') as { fixtures: { chain_family: string; error_code?: number; error_message: string }[] }).fixtures;
  const recorded = read('erigon-and-execution-apis-errors.json') as Record<string, { error: NodeError }[]>;
  return [
    ...lava.map(({ chain_family: family, error_code: code, error_message: message }) => ({ family, error: { code: code ?? -32000, message } })),
    ...Object.values(recorded).flatMap((list) => (Array.isArray(list) ? list.map(({ error }) => ({ family: 'EVM', error })) : [])),
  ];
}

let world: SpecWorld;
let node: SpecNode;
beforeAll(async () => {
  [world, node] = await Promise.all([startSpecWorld(), startSpecNode()]);
});
afterAll(async () => {
  await world.stop();
  await node.stop();
  expect(world.failures).toEqual([]);
});

const PATHS: Readonly<Record<string, { path: string; method: string }>> = {
  EVM: { path: '/ethereum', method: 'eth_call' },
  Bitcoin: { path: '/bitcoin', method: 'getblockhash' },
  Solana: { path: '/solana', method: 'simulateTransaction' },
};

describe.each([['off', 0], ['on', 64_000_000]])('with the cache %s', (_name, cacheBytes) => {
  let url: string;
  const post = async (path: string, body: string): Promise<string> => {
    const response = await fetch(url + path, { method: 'POST', body, headers: { 'content-type': 'application/json', 'x-api-key': world.project.keys.rpc } });
    return response.text();
  };

  beforeAll(async () => {
    const chains = ['eip155:1', 'bip122:000000000019d6689c085ae165831e93', 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp'];
    const proxy = await world.open(Object.fromEntries(chains.map((gid) => [gid, [node.url]])), { cacheBytes });
    url = proxy.url;
    await waitFor(() => [...proxy.directory.chains].every(({ upstreams }) => upstreams.every(({ isChecked }) => isChecked)));
  });

  it('every recorded pair of the Ethereum API arrives byte for byte, twice', async () => {
    const pairs = readPairs();
    expect(pairs.length).toBeGreaterThanOrEqual(232);
    const replies = new Map(pairs.map(({ request, reply }) => [request, reply]));
    node.answer = ({ body }, res) => sendJson(res, replies.get(body) ?? '{"error":"not recorded"}');
    for (let round = 0; round < 2; round += 1) {
      const got = await Promise.all(pairs.map(async ({ name, request }) => ({ name, reply: await post('/ethereum', request) })));
      expect(got).toEqual(pairs.map(({ name, request }) => ({ name, reply: replies.get(request) })));
    }
  });

  it('every known error of a node arrives byte for byte', async () => {
    const errors = readErrors().filter(({ family }) => family in PATHS);
    expect(errors.length).toBeGreaterThan(150);
    for (const { family, error } of errors) {
      const { path, method } = PATHS[family]!;
      const reply = `{"jsonrpc": "2.0", "id": "e", "error": ${JSON.stringify(error)}}`;
      node.answer = (_seen, res) => sendJson(res, reply);
      expect(await post(path, `{"jsonrpc":"2.0","id":"e","method":"${method}","params":[]}`)).toBe(reply);
    }
  });
});
