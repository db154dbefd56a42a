// SPDX-License-Identifier: Apache-2.0
import { findFreePort, startNats, waitFor } from '@chainwatch/testing';
import { createBus, createBusInBackground } from './index.ts';

describe('a bus in the background', () => {
  const hash = 'a'.repeat(64);
  const KEY_ID = '6f1d1f4e-0000-4000-8000-000000000001';

  it('is there before the server, and hears from it as soon as that is up', async () => {
    const port = await findFreePort();
    const bus = createBusInBackground('api-gateway', { url: `nats://127.0.0.1:${port}` });
    const heard: string[] = [];
    const stop = bus.subscribe('key.revoked', [], ({ payload }) => void heard.push(payload.key_hash));
    const stopped = bus.subscribe('key.revoked', [], () => void heard.push('stopped'));
    stopped();
    expect(bus.isConnected).toBe(false);
    await expect(
      bus.publish('key.revoked', {
        tokens: [],
        payload: { schema: 1, key_id: KEY_ID, key_hash: hash },
        messageId: '1',
      }),
    ).rejects.toMatchObject({ code: 'bus_unavailable', retryable: true });
    const nats = await startNats({ port });
    await waitFor(() => bus.isConnected);
    const other = await createBus('api-gateway', { url: nats.url });
    await waitFor(async () => {
      await other.publish('key.revoked', {
        tokens: [],
        payload: { schema: 1, key_id: KEY_ID, key_hash: hash },
        messageId: String(Math.random()),
      });
      return heard.length > 0;
    });
    expect(new Set(heard)).toEqual(new Set([hash]));
    stop();
    await other.close();
    await bus.close();
    await nats.stop();
  });

  it.each(['absent', 'silent'])('is closed at once while the server is %s', async (how) => {
    const nats = await startNats();
    if (how === 'silent') nats.pause();
    else await nats.kill9();
    const bus = createBusInBackground('rpc-proxy', { url: nats.url });
    await bus.close();
    expect(bus.isConnected).toBe(false);
    nats.resume();
    await nats.stop();
  });
});
