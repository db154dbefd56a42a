// SPDX-License-Identifier: Apache-2.0
import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { z } from 'zod';
import { createCache } from '@chainwatch/platform/cache';
import { openExport } from '../spec-support/open-export.ts';
import { Exports, type Listing } from './exports.ts';
import type { Range } from './pager.ts';

const record = z.object({ id: z.string(), text: z.string() });
const principal = {
  keyId: 'k',
  keyType: 'api',
  workspaceId: 'w',
  projectId: 'p',
  isOperator: false,
  permissions: [],
} as const;

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

/** What is not garbage. */
function readMemory(): number {
  collectGarbage();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

/** Serves one listing of so many rows, whose weights are as told. */
async function serveListing(rows: number, listing: Pick<Listing, 'read'>, bytes: number): Promise<Server> {
  const exports = new Exports({
    slots: createCache(undefined),
    keyWatch: { watch: () => () => undefined },
  });
  const db = { query: async (_text: string, [ids]: [string[]]) => ({ rows: ids.map(() => ({ bytes })) }) };
  const find = async ({ limit, after }: Range) => {
    const from = after === undefined ? 0 : Number(after[0]) + 1;
    return Array.from({ length: Math.min(limit, rows - from) }, (_, at) => ({
      id: String(from + at),
      key: [String(from + at)],
    }));
  };
  const serve = async (res: ServerResponse): Promise<void> => {
    const { stream } = (await exports.answer({
      mediaType: 'application/x-ndjson',
      record,
      principal,
      query: { limit: 20 },
      deps: { db } as never,
      open: async () => ({ ...listing, find, weight: { table: 't', idType: 'uuid', bytes: '1' } }),
    }))!;
    await stream!(res);
  };
  const server = createServer((_req, res) => void serve(res)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return server;
}

it('a million rows take no more memory than a thousand', async () => {
  const rows = 1_000_000;
  const text = 'x'.repeat(500);
  const server = await serveListing(rows, { read: async (ids) => ids.map((id) => ({ id, text })) }, 530);
  const answer = await openExport({ server, path: '/t', key: 'k' });
  const used: number[] = [];
  let [bytes, lines] = [0, 0];
  for await (const chunk of answer as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, at + 1)) lines += 1;
    if (lines > used.length * 100_000) used.push(readMemory());
  }
  expect([lines, used.length]).toEqual([rows, 10]);
  expect(bytes).toBeGreaterThan(500_000_000);
  // Buffers of the connection come and go, some MiB; what is kept stays.
  expect(Math.min(...used.slice(5)) - Math.min(...used.slice(0, 5))).toBeLessThan(8 * 2 ** 20);
  expect(Math.max(...used) - used[0]!).toBeLessThan(48 * 2 ** 20);
  server.close();
}, 60_000);

it('of long records few are read together, and one that is longer than all may be is read alone', async () => {
  for (const [bytes, together] of [
    [50, 500],
    [100_000, 2],
    [1_000_000, 1],
  ] as const) {
    const parts: number[] = [];
    const server = await serveListing(
      1_000,
      { read: async (ids) => (parts.push(ids.length), ids.map((id) => ({ id, text: '' }))) },
      bytes,
    );
    const answer = await openExport({ server, path: '/t', key: 'k' });
    answer.resume();
    await once(answer, 'end');
    expect([new Set(parts), parts.length]).toEqual([new Set([together]), 1_000 / together]);
    server.close();
  }
});
