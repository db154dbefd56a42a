// SPDX-License-Identifier: Apache-2.0
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findFreePort, spawnServer, waitFor } from '@chainwatch/testing';

interface PrometheusOptions {
  readonly command: string;
  /** Services by name, with the ports of their metrics. */
  readonly targets: readonly { readonly name: string; readonly port: number }[];
  readonly rules: string;
}

export interface Prometheus {
  /** The series that a query gave in the last `seconds`, each with its values. */
  query(expr: string, seconds: number): Promise<readonly (readonly number[])[]>;
  /** Names of all metrics that it has read. */
  readNames(): Promise<ReadonlySet<string>>;
  stop(): Promise<void>;
}

const STEP_SECONDS = 2;

/** A Prometheus that scrapes once a second. */
export async function startPrometheus({ command, targets, rules }: PrometheusOptions): Promise<Prometheus> {
  const directory = mkdtempSync(join(tmpdir(), 'prometheus-'));
  // JSON is YAML.
  const file = join(directory, 'prometheus.json');
  writeFileSync(
    file,
    JSON.stringify({
      global: { scrape_interval: '1s', evaluation_interval: '1s' },
      rule_files: [rules],
      scrape_configs: [
        {
          job_name: 'chainwatch',
          static_configs: [{ targets: targets.map(({ port }) => `127.0.0.1:${port}`) }],
        },
      ],
    }),
  );
  const port = await findFreePort();
  const server = spawnServer(
    command,
    [
      `--config.file=${file}`,
      `--storage.tsdb.path=${join(directory, 'data')}`,
      `--web.listen-address=127.0.0.1:${port}`,
    ],
    { directory },
  );
  const get = async <T>(path: string): Promise<T> => {
    const response = await fetch(`http://127.0.0.1:${port}/api/v1/${path}`);
    const body = (await response.json()) as { status: string; data: T };
    if (body.status !== 'success')
      throw new Error(`expected an answer to ${path}, got ${JSON.stringify(body)}`);
    return body.data;
  };
  await waitFor(() => get('status/runtimeinfo'), { message: () => `Prometheus: ${server.output()}` });
  return {
    async query(expr, seconds) {
      const end = Date.now() / 1_000;
      const parameters = new URLSearchParams({
        query: expr,
        start: String(end - seconds),
        end: String(end),
        step: String(STEP_SECONDS),
      });
      const { result } = await get<{ result: { values: [number, string][] }[] }>(
        `query_range?${parameters.toString()}`,
      );
      return result.map(({ values }) => values.map(([, value]) => Number(value)));
    },
    readNames: async () => new Set(await get<string[]>('label/__name__/values')),
    async stop() {
      await server.kill('SIGTERM');
      rmSync(directory, { recursive: true, force: true });
    },
  };
}
