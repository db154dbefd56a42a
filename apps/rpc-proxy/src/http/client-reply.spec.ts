import type { IncomingMessage, ServerResponse } from 'node:http';
import { startTelemetry, type Telemetry } from '@chainwatch/telemetry';
import { ClientReply } from './client-reply.ts';
import type { ReplyChannel } from './reply-channel.ts';

let telemetry: Telemetry;
beforeAll(async () => {
  telemetry = await startTelemetry({ serviceName: 'rpc-proxy' });
});
afterAll(() => telemetry.stop());

it('counts answers by class of status, those too that no key or node stands behind', async () => {
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
  const text = await new Promise<string>((resolve) => {
    const res = { writeHead: () => res, end: resolve };
    telemetry.handleMetrics({} as IncomingMessage, res as unknown as ServerResponse);
  });
  expect(text.match(/^chainwatch_rpc_answers_total.*$/gm)!.sort()).toEqual([
    'chainwatch_rpc_answers_total{status="2xx"} 1',
    'chainwatch_rpc_answers_total{status="4xx"} 2',
    'chainwatch_rpc_answers_total{status="5xx"} 4',
  ]);
});
