import { createBus } from '@chainwatch/bus';
import type { Bus } from '@chainwatch/bus';
import { hashApiKey } from '@chainwatch/api-key';
import { createCache } from '@chainwatch/cache';
import { startNats, waitFor } from '@chainwatch/testing';
import type { NatsHandle } from '@chainwatch/testing';
import { startSpecWorld } from './spec-world.ts';
import type { SpecWorld } from './spec-world.ts';
import { startApiGateway } from './start-api-gateway.ts';
import type { ApiGateway } from './start-api-gateway.ts';

describe('the gateway on a real bus', () => {
  let world: SpecWorld;
  let nats: NatsHandle;
  let bus: Bus<'api-gateway'>;
  let gateway: ApiGateway;
  beforeAll(async () => {
    [world, nats] = await Promise.all([startSpecWorld(), startNats()]);
    bus = await createBus('api-gateway', { url: nats.url, isValidating: true });
    gateway = await startApiGateway({
      deps: world.deps,
      bus,
      cache: createCache(undefined),
      limits: { perKey: { api: 1_000_000, rpc: 1_000_000, mgt: 1_000_000 }, failedPerClient: 1_000_000 },
      docsUrl: 'https://docs.example.com',
      apiHost: 'https://api.example.com',
      trustedProxies: 0,
      logger: { error: () => undefined },
      port: 0,
      host: '127.0.0.1',
    });
  });
  afterAll(async () => {
    await gateway.stop();
    await bus.close();
    await nats.stop();
    await world.stop();
  });

  const call = (path: string, key: string, body?: object) =>
    fetch(`http://127.0.0.1:${gateway.port}/v1${path}`, {
      method: body === undefined ? 'GET' : 'POST',
      headers: { 'x-api-key': key, ...(body && { 'content-type': 'application/json' }) },
      body: body && JSON.stringify(body),
    });

  it('is ready', async () => {
    expect(await gateway.readiness()).toEqual({ postgres: { ok: true }, nats: { ok: true } });
  });

  it('tells the analyzer about a new address', async () => {
    const analyzer = await createBus('tx-analyzer', { url: nats.url });
    const seen: unknown[] = [];
    const stop = analyzer.subscribe('address.watched', ['evm'], ({ payload }) => void seen.push(payload));
    try {
      const value = '0xd8da6bf26964af9d7eed9e03e53415d37aa96045';
      const response = await call('/addresses/external', world.project.keys.api, { value, chain_family: 'evm' });
      const { id } = (await response.json()) as { id: string };
      await waitFor(() => seen.length > 0);
      expect(seen).toEqual([{ schema: 1, address_id: id, project_id: world.project.projectId, address: value, is_monitored: true }]);
    } finally {
      stop();
      await analyzer.close();
    }
  });

  it('honours a revoked key only until it is told of the revocation', async () => {
    const key = world.otherProject.keys.api;
    expect((await call('/version', key)).status).toBe(200);
    const hash = Buffer.from(hashApiKey(key));
    const { rows } = await world.db.query<{ id: string }>('UPDATE api_keys SET revoked_at = now() WHERE key_hash = $1 RETURNING id', [hash]);
    const keyId = rows[0]!.id;
    await bus.publish('key.revoked', [], { schema: 1, key_id: keyId, key_hash: hash.toString('hex') }, { messageId: keyId });
    await waitFor(async () => (await call('/version', key)).status === 401, { timeoutMs: 8_000, message: 'the revocation, before the key is looked up again by itself after 10 s' });
  });

  it('answers while the bus is away', async () => {
    await nats.stop();
    const response = await call('/addresses/external', world.project.keys.api, { value: '0x00000000219ab540356cbb839cbe05303d7705fa', chain_family: 'evm' });
    expect(response.status).toBe(201);
    await waitFor(async () => !(await gateway.readiness()).nats!.ok);
    expect((await gateway.readiness()).postgres).toEqual({ ok: true });
  });
});
