// SPDX-License-Identifier: Apache-2.0
import type { FamilyRpc } from '@chainwatch/chain-core';
import { loadFamilies } from '@chainwatch/chain-registry';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { waitFor } from '@chainwatch/testing';
import { judgePathReply, judgeReply } from './upstream-request/judge-reply.ts';
import { sendJson, startSpecNode, type SpecNode } from './spec-node.ts';
import { startSpecWorld, type SpecWorld } from './spec-world.ts';

const fixtures = join(import.meta.dirname, '../../../../shared/fixtures');
const hasFixtures = existsSync(fixtures);
if (!hasFixtures) console.log('skipped: recorded replies of nodes (../shared/fixtures is absent)');
const itRecorded = hasFixtures ? it : it.skip;

interface Pair {
  readonly name: string;
  readonly request: string;
  readonly reply: string;
}

/** `>>` is what is sent, `<<` what the node answers. */
function readPairs(): Pair[] {
  const root = join(fixtures, 'conformance/execution-apis/tests');
  const files = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.io'),
  );
  return files.flatMap((name) => {
    const lines = readFileSync(join(root, name), 'utf8').split('\n');
    return lines.flatMap((line, index) =>
      line.startsWith('>> ')
        ? [
            {
              name,
              request: line.slice(3),
              reply: lines
                .slice(index + 1)
                .find((next) => next.startsWith('<< '))!
                .slice(3),
            },
          ]
        : [],
    );
  });
}

const readJson = (name: string): unknown => JSON.parse(readFileSync(join(fixtures, 'errors', name), 'utf8'));

interface NodeError {
  readonly code?: number;
  readonly message?: string;
  readonly data?: unknown;
}

/** Every error of the catalogues, as a node would send it. */
function readErrors(): { family: string; error: NodeError }[] {
  const lava = (
    readJson('node-error-catalogue-lava.json') as {
      fixtures: { chain_family: string; error_code?: number; error_message: string }[];
    }
  ).fixtures;
  const recorded = readJson('erigon-and-execution-apis-errors.json') as Record<
    string,
    { error: NodeError }[]
  >;
  return [
    ...lava.map(({ chain_family: family, error_code: code, error_message: message }) => ({
      family,
      error: { code: code ?? -32000, message },
    })),
    ...Object.values(recorded).flatMap((list) =>
      Array.isArray(list) ? list.map(({ error }) => ({ family: 'EVM', error })) : [],
    ),
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

/**
 * The catalogue's error classes for which another node may answer better; every other error goes to the client at once.
 */
const ELSEWHERE: Readonly<Record<string, string>> = {
  NODE_RATE_LIMITED: 'busy',
  NODE_SERVICE_UNAVAILABLE: 'unable',
  CHAIN_STATE_PRUNED: 'unable',
  CHAIN_BLOCK_NOT_FOUND: 'unable',
  NODE_SOLANA_UNHEALTHY: 'unable',
  CHAIN_SOLANA_BLOCK_STATUS_UNAVAILABLE: 'unable',
  CHAIN_SOLANA_MIN_CONTEXT_SLOT_NOT_REACHED: 'unable',
  NODE_BITCOIN_WARMUP: 'unable',
  NODE_BITCOIN_INITIAL_DOWNLOAD: 'unable',
  NODE_BITCOIN_NOT_CONNECTED: 'unable',
};

const families = await loadFamilies();
const rpcOf = (family: string): FamilyRpc => families.find(({ name }) => name === family)!.rpc;
const judge = (family: 'evm' | 'bitcoin' | 'solana' | 'tron', body: object, isWallet = false): string => {
  const reply = {
    status: 200,
    contentType: 'application/json',
    contentEncoding: undefined,
    retryAfter: undefined,
    contentLength: -1,
    body: Buffer.from(JSON.stringify(body)),
  };
  return (isWallet ? judgePathReply : judgeReply)(rpcOf(family), reply);
};

itRecorded('every error of the catalogue is an answer, or one that another node may better', () => {
  const { fixtures: rows } = readJson('node-error-catalogue-lava.json') as {
    fixtures: {
      name: string;
      chain_family: string;
      error_code?: number;
      error_message: string;
      expected_name: string;
    }[];
  };
  const own = rows.filter(({ chain_family: family }) => family in PATHS);
  expect(own.length).toBeGreaterThanOrEqual(65);
  const got = own.map(({ name, chain_family: family, error_code: code, error_message: message }) => [
    name,
    judge(family.toLowerCase() as 'evm', { jsonrpc: '2.0', id: 1, error: { code, message } }),
  ]);
  expect(got).toEqual(own.map(({ name, expected_name: kind }) => [name, ELSEWHERE[kind] ?? 'answer']));
});

itRecorded(
  'every error that Erigon and the Ethereum tests recorded is an answer, but for blocks that are not there',
  () => {
    const lists = Object.values(
      readJson('erigon-and-execution-apis-errors.json') as Record<string, { error: NodeError | null }[]>,
    );
    const errors = lists.flatMap((list) =>
      Array.isArray(list) ? list.flatMap(({ error }) => error ?? []) : [],
    );
    expect(errors.length).toBeGreaterThan(100);
    const elsewhere = errors
      .filter((error) => judge('evm', { id: 1, error }) !== 'answer')
      .map(({ message }) => message!.replace(/0x[0-9a-f]+|\d{3,}/g, 'N'));
    expect([...new Set(elsewhere)].sort()).toEqual([
      'block N not found',
      'block header not found: N',
      'block not found: N',
      'header not found',
    ]);
  },
);

itRecorded(
  "every error of java-tron's is an answer, but for its rate limit, maintenance and calls that a node is configured without",
  () => {
    const catalogue = readJson('java-tron-errors.json') as {
      http_bodies_verbatim_http200: object[];
      json_rpc_catalogue: { id: string; match: string }[];
      documented_per_method: { method: string; api: string; cells: string[] }[];
    };
    expect(catalogue.http_bodies_verbatim_http200.map((body) => judge('tron', body, true))).toEqual(
      catalogue.http_bodies_verbatim_http200.map(() => 'answer'),
    );
    const rows = catalogue.json_rpc_catalogue.map(({ id, match }) => {
      const code = /`error\.code` = `(-\d+)`/.exec(match)?.[1];
      const text = /(?:`error\.message`[^`]*|contains )`([^`]+)`/.exec(match)?.[1] ?? 'message';
      return [
        id,
        judge(
          'tron',
          code === undefined
            ? { Error: `class x : ${text}` }
            : { jsonrpc: '2.0', id: 1, error: { code: Number(code), message: text } },
        ),
      ];
    });
    expect(rows.filter(([, verdict]) => verdict !== 'answer')).toEqual([['JSON_RPC_RATE_LIMITED', 'busy']]);
    const documented = catalogue.documented_per_method
      .filter(({ api }) => api === 'http')
      .flatMap(({ method, cells }) => {
        const bodies = [...cells.join(' ').matchAll(/\{"Error": "([^"]*)"\}/g)].map(([, text]) => ({
          Error: text,
        }));
        const refusals = cells.includes('`CONTRACT_VALIDATE_ERROR`')
          ? [
              {
                result: {
                  code: 'CONTRACT_VALIDATE_ERROR',
                  message: cells[cells.indexOf('`CONTRACT_VALIDATE_ERROR`') + 1]!.replaceAll('`', ''),
                },
              },
            ]
          : [];
        return [...bodies, ...refusals].map((body) => [method, judge('tron', body, true)] as const);
      });
    expect(documented.length).toBeGreaterThan(90);
    expect(
      documented
        .filter(([, verdict]) => verdict !== 'answer')
        .map(([method]) => method)
        .sort(),
    ).toEqual(['estimateenergy', 'estimateenergy', 'getpaginatednowwitnesslist', 'triggerconstantcontract']);
  },
);

(hasFixtures ? describe : describe.skip).each([
  ['off', 0],
  ['on', 64_000_000],
])('with the cache %s', (_name, cacheBytes) => {
  let proxy: Awaited<ReturnType<SpecWorld['open']>>;
  const post = async (path: string, body: string): Promise<string> => {
    const response = await fetch(proxy.url + path, {
      method: 'POST',
      body,
      headers: { 'content-type': 'application/json', 'x-api-key': world.project.keys.rpc },
    });
    return response.text();
  };

  beforeAll(async () => {
    const chains = [
      'eip155:1',
      'bip122:000000000019d6689c085ae165831e93',
      'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp',
    ];
    proxy = await world.open(Object.fromEntries(chains.map((gid) => [gid, [node.url]])), {
      cacheBytes,
    });
    await waitFor(() =>
      [...proxy.directory.chains].every(({ upstreams }) => upstreams.every(({ isChecked }) => isChecked)),
    );
  });

  it('every recorded pair of the Ethereum API arrives byte for byte, twice', async () => {
    const pairs = readPairs();
    expect(pairs.length).toBeGreaterThanOrEqual(232);
    const replies = new Map(pairs.map(({ request, reply }) => [request, reply]));
    node.answer = ({ body }, res) => sendJson(res, { body: replies.get(body) ?? '{"error":"not recorded"}' });
    for (let round = 0; round < 2; round += 1) {
      for (const { name, request } of pairs) {
        // The pairs are of several chains, whose heights differ.
        proxy.directory.find('ethereum')!.sessions.forget();
        expect([name, await post('/ethereum', request)]).toEqual([name, replies.get(request)]);
      }
    }
  });

  it('every known error of a node arrives byte for byte', async () => {
    const errors = readErrors().filter(({ family }) => family in PATHS);
    expect(errors.length).toBeGreaterThan(150);
    for (const { family, error } of errors) {
      const { path, method } = PATHS[family]!;
      const reply = `{"jsonrpc": "2.0", "id": "e", "error": ${JSON.stringify(error)}}`;
      node.answer = (_seen, res) => sendJson(res, { body: reply });
      expect(await post(path, `{"jsonrpc":"2.0","id":"e","method":"${method}","params":[]}`)).toBe(reply);
    }
  });
});
