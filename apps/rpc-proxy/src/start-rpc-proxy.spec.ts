import { startRpcProxy } from './start-rpc-proxy.ts';

it.each(['GET', 'POST'])('answers %s with 503 and says why', async (method) => {
  const proxy = await startRpcProxy({ port: 0 });
  try {
    const response = await fetch(`http://127.0.0.1:${proxy.port}/ethereum`, { method, body: method === 'POST' ? 'x'.repeat(100_000) : undefined });
    expect(response.status).toBe(503);
    expect(response.headers.get('content-type')).toBe('application/json');
    expect(await response.json()).toEqual({ error: 'rpc gateway is not configured in this build' });
  } finally {
    await proxy.close();
  }
});
