// SPDX-License-Identifier: Apache-2.0
import pg from 'pg';
import type { ProcessSpec } from '@chainwatch/testing/host';

export function natsSpec(
  command: string,
  {
    port,
    monitoringPort,
    storeDir,
  }: { readonly port: number; readonly monitoringPort: number; readonly storeDir: string },
): ProcessSpec {
  return {
    name: 'nats',
    command,
    args: ['-a', '127.0.0.1', '-p', String(port), '-m', String(monitoringPort), '-js', '-sd', storeDir],
    identity: storeDir,
  };
}

/** Redis is a cache (invariant 1): nothing is written to disk. It replaces its command line by its address, which serves as identity. */
export function redisSpec(command: string, port: number): ProcessSpec {
  return {
    name: 'redis',
    command,
    args: [
      '--port',
      String(port),
      '--bind',
      '127.0.0.1',
      '--save',
      '',
      '--appendonly',
      'no',
      '--loglevel',
      'warning',
    ],
    identity: `:${port}`,
  };
}

export async function answersSql(url: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 2_000 });
  await client.connect();
  await client.end();
  return true;
}

export async function answersHttp(url: string): Promise<boolean> {
  const response = await fetch(url, { signal: AbortSignal.timeout(2_000) });
  await response.body?.cancel();
  return response.ok;
}
