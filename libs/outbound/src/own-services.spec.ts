// SPDX-License-Identifier: Apache-2.0
import { assertAllowedUrl, createDial, createHttpClient, OwnServiceError } from './index.ts';
import { findReachable } from './connect-to-any.ts';

const HOSTS: Readonly<Record<string, string[]>> = {
  'bus.internal': ['10.1.2.3', 'fd00::3'],
  'alias.customer.example': ['10.1.2.3'],
  'mixed.customer.example': ['203.0.113.9', '10.1.2.3'],
  'other.customer.example': ['10.1.2.4'],
  localhost: ['127.0.0.1', '::1'],
};

const dial = createDial({
  allow: ['10.0.0.0/8', 'fd00::/8', '127.0.0.0/8', '::1/128', '203.0.113.0/24'],
  own: [
    'nats://user:secret@bus.internal:4222,bus-2.internal:4223',
    'postgresql://x:y@127.0.0.1:5433/db',
    'redis://[fd00::9]',
  ],
  resolve: async (host) =>
    (HOSTS[host] ?? []).map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
});
const protocols = ['http:', 'https:', 'nats:', 'tls:'];

describe('a server of the service itself', () => {
  it.each([
    'nats://bus.internal:4222',
    'nats://bus.internal',
    'tls://bus.internal',
    'nats://10.1.2.3:4222',
    'nats://[fd00::3]:4222',
    'http://alias.customer.example:4222/',
    'http://mixed.customer.example:4222/',
    'http://127.0.0.1:5433/',
    'http://127.9.9.9:5433/',
    'http://localhost:5433/',
    'http://[::1]:5433/',
    'http://[fd00::9]:6379/',
  ])('is not reached by %s', async (url) => {
    await expect(assertAllowedUrl(url, dial, { protocols })).rejects.toBeInstanceOf(OwnServiceError);
    const { hostname, port } = new URL(url);
    const host = hostname.replace(/^\[(.*)\]$/, '$1');
    await expect(
      findReachable({ host, port: Number(port) || 4222, dial, timeoutMs: 1_000 }),
    ).rejects.toBeInstanceOf(OwnServiceError);
    if (url.startsWith('http'))
      await expect(
        createHttpClient({ dial, connectTimeoutMs: 1_000 }).request({
          url,
          method: 'POST',
          body: '{}',
          headers: {},
          signal: AbortSignal.timeout(5_000),
        }),
      ).rejects.toBeInstanceOf(OwnServiceError);
  });

  it.each(['nats://other.customer.example:4222', 'nats://bus.internal:4299', 'http://localhost:5434/'])(
    'is not %s',
    async (url) => {
      expect((await assertAllowedUrl(url, dial, { protocols })).href).toContain(new URL(url).hostname);
    },
  );
});
