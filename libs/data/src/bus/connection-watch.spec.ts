// SPDX-License-Identifier: Apache-2.0
import { startTelemetry, type Telemetry } from '@chainwatch/platform/telemetry';
import { findFreePort, readMetrics, startNats, waitFor } from '@chainwatch/testing';
import { createBus, createBusInBackground } from './index.ts';

let telemetry: Telemetry;
beforeAll(async () => {
  telemetry = await startTelemetry({ serviceName: 'spec' });
});
afterAll(() => telemetry.stop());
const read = async (name: string): Promise<number | undefined> =>
  (await readMetrics(telemetry.handleMetrics)).get(`chainwatch_nats_${name}`);
const becomes = (name: string, value: number): Promise<unknown> =>
  waitFor(async () => (await read(name)) === value, { message: `${name} to be ${value}` });

describe('the metrics of a connection to NATS', () => {
  it('tell whether it is there, how often it came back, and how long a message takes', async () => {
    const nats = await startNats();
    const bus = await createBus('api-gateway', { url: nats.url });
    expect(await read('connected')).toBe(1);
    await waitFor(async () => (await read('rtt_seconds'))! > 0);
    const revoked = {
      schema: 1,
      key_id: '6f1d1f4e-0000-4000-8000-000000000001',
      key_hash: 'a'.repeat(64),
    } as const;
    await bus.publish('key.revoked', { tokens: [], payload: revoked, messageId: '1' });
    expect(await read('publish_seconds_count')).toBe(1);
    await nats.kill9();
    await becomes('connected', 0);
    expect(await read('rtt_seconds')).toBeUndefined();
    expect(await read('reconnects_total')).toBeUndefined();
    await nats.restart();
    await becomes('connected', 1);
    expect(await read('reconnects_total')).toBe(1);
    await bus.close();
    await becomes('connected', 0);
    await nats.stop();
  });

  it('say that it is not there before it ever was', async () => {
    const port = await findFreePort();
    const bus = createBusInBackground('api-gateway', { url: `nats://127.0.0.1:${port}` });
    await becomes('connected', 0);
    const nats = await startNats({ port });
    await becomes('connected', 1);
    await bus.close();
    await nats.stop();
  });
});
