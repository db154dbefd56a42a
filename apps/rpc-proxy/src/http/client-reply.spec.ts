// SPDX-License-Identifier: Apache-2.0
import { startTelemetry, type Telemetry } from '@chainwatch/platform/telemetry';
import { readMetrics } from '@chainwatch/testing';
import { ClientReply } from './client-reply.ts';
import type { ReplyChannel } from './reply-channel.ts';

let telemetry: Telemetry;
beforeAll(async () => {
  telemetry = await startTelemetry({ serviceName: 'rpc-proxy' });
});
afterAll(() => telemetry.stop());

/** Answers by class of status, with those of other specs in this process. */
async function readCounts(): Promise<number[]> {
  const metrics = await readMetrics(telemetry.handleMetrics);
  return ['2xx', '3xx', '4xx', '5xx'].map(
    (status) => metrics.get(`chainwatch_rpc_answers_total{status="${status}"}`) ?? 0,
  );
}

it('counts answers by class of status, those too that no key or node stands behind', async () => {
  const before = await readCounts();
  const reply = (): ClientReply => {
    const channel = { isGone: false, isBegun: false, out: Promise.resolve(), send: () => undefined };
    return new ClientReply(channel as unknown as ReplyChannel);
  };
  reply().refuse(401, 'no key');
  reply().refuse(429, 'too many');
  reply().fail('unavailable');
  reply().fail('timeout');
  reply().refuse(500, 'the gateway failed');
  reply().noContent();
  reply().whole({ status: 503, contentType: 'application/json', body: Buffer.from('{}') } as never);
  const after = await readCounts();
  expect(after.map((count, index) => count - before[index]!)).toEqual([1, 0, 2, 4]);
});
