// SPDX-License-Identifier: Apache-2.0
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Sql } from '@chainwatch/data/db';
import { startTelemetry, type Telemetry } from '@chainwatch/platform/telemetry';
import type { ReplyOutcome } from '../http/client-reply.ts';
import { startUsageFlusher } from './flush-usage.ts';
import { UsageRecorder } from './usage-recorder.ts';

type Open = Parameters<UsageRecorder['open']>;

let telemetry: Telemetry;
beforeAll(async () => {
  telemetry = await startTelemetry({ serviceName: 'rpc-proxy' });
});
afterAll(() => telemetry.stop());

it('has no more series for more names of methods, and a row of each', async () => {
  const recorder = new UsageRecorder();
  const stored: string[] = [];
  const db = {
    query: (_sql: string, values: readonly string[][]) => {
      stored.push(...values[3]!);
      return Promise.resolve({ rows: [] });
    },
  } as unknown as Sql;
  const flusher = startUsageFlusher(recorder, db, { warn: () => undefined });
  const names = Array.from({ length: 500 }, (_, index) => `eth_get${index}`);
  for (const gid of ['eip155:1', 'eip155:10'])
    for (const method of names) {
      const reply = {} as { onDone?: (outcome: ReplyOutcome) => void };
      const request = {
        principal: { keyId: 'k', workspaceId: 'w' },
        chain: { network: { gid } },
        reply,
        body: Buffer.alloc(5),
      };
      const rule = { method, isKnown: true };
      recorder.open(request as unknown as Open[0], [{ rule } as Open[1][number]]);
      reply.onDone?.({ status: 502, bytes: 7, isFailure: true });
    }
  await flusher.stop();
  expect(stored).toHaveLength(2 * names.length);
  const series = (await readMetrics()).match(/^chainwatch_rpc_(requests|failures|sent_bytes)_total\{.*$/gm)!;
  expect(series.sort()).toEqual(
    ['failures', 'requests', 'sent_bytes'].flatMap((name) =>
      ['eip155:1', 'eip155:10'].map(
        (gid) =>
          `chainwatch_rpc_${name}_total{chain_gid="${gid}"} ${names.length * (name === 'sent_bytes' ? 7 : 1)}`,
      ),
    ),
  );
});

function readMetrics(): Promise<string> {
  return new Promise((resolve) => {
    const res = { writeHead: () => res, end: resolve };
    telemetry.handleMetrics({} as IncomingMessage, res as unknown as ServerResponse);
  });
}
