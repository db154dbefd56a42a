// SPDX-License-Identifier: Apache-2.0
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { repoDir } from '@chainwatch/testing/host';

const read = (path: string): string => readFileSync(join(repoDir, path), 'utf8');
function numberIn(path: string, pattern: RegExp): number {
  const found = pattern.exec(read(path))?.[1];
  if (found === undefined) throw new Error(`${path}: expected ${pattern}, got nothing like it`);
  return Number(found);
}
const defaultOf = (path: string): number => numberIn(path, /DB_POOL_SIZE(?: \?\?|: poolSize =) (\d+)/);

const gateway = {
  requests: defaultOf('apps/api-gateway/src/main.ts'),
  statements: numberIn('apps/api-gateway/src/main.ts', /-statements`, poolSize: (\d+)/),
  imports:
    numberIn('apps/api-gateway/src/bulk/bulk-threads.ts', /THREADS = (\d+)/) *
    numberIn('apps/api-gateway/src/bulk/bulk.worker.ts', /poolSize: (\d+)/),
};
const ingestor = defaultOf('libs/ingestor/src/run-ingestor.ts');
/** Of one replica, and how many there are of the service. */
const SERVICES: readonly (readonly [name: string, sessions: number, services?: number])[] = [
  ['api-gateway', gateway.requests + gateway.statements + gateway.imports],
  ['rpc-proxy', defaultOf('apps/rpc-proxy/src/main.ts')],
  ['four ingestors', ingestor, 4],
  ['tx-analyzer', defaultOf('apps/tx-analyzer/src/main.ts')],
  ['balance-service', defaultOf('apps/balance-service/src/main.ts')],
  ['notifier', defaultOf('apps/notifier/src/main.ts')],
];

/** At most, of one service. */
function replicasOf(name: string): number {
  const service = name === 'four ingestors' ? 'block-ingestor-evm' : name;
  const scaled = new RegExp(`name: ${service} \\}[^]*?maxReplica(?:s|Count): (\\d+)`).exec(
    read('deploy/kubernetes/addons/keda/scaling.yaml'),
  )?.[1];
  if (scaled !== undefined) return Number(scaled);
  return numberIn(
    'deploy/kubernetes/overlays/production/replicas.yaml',
    new RegExp(`name: ${service}\\nspec:\\n  replicas: (\\d+)`),
  );
}

const page = read('docs/guides/postgresql.md');
const cellsOf = (name: string): string[] => {
  const line = page.split('\n').find((one) => one.startsWith(`| ${name} |`));
  return line!
    .split('|')
    .slice(2, -1)
    .map((cell) => cell.trim());
};

describe('the sessions of PostgreSQL', () => {
  it('of the page are those that the services open', () => {
    expect(cellsOf('api-gateway')[0]).toContain(
      `${gateway.statements} for statements, ${gateway.imports} for imports`,
    );
    expect(page).toContain(`(a gateway six more)`);
    expect(gateway.statements + gateway.imports).toBe(6);
    for (const [name, sessions, services = 1] of SERVICES) {
      const [one, compose, production] = cellsOf(name);
      const replicas = replicasOf(name);
      const factors = [...(services > 1 ? [services] : []), replicas, sessions].join(' × ');
      expect([name, Number(/^\d+/.exec(one!)![0]), Number(compose), production]).toEqual([
        ...[name, sessions, sessions * services],
        `${factors} = ${sessions * services * replicas}`,
      ]);
    }
  });

  it('are added up', () => {
    const sum = (of: (name: string) => number): number =>
      SERVICES.reduce((total, [name, sessions, services = 1]) => total + sessions * services * of(name), 0);
    const compose = sum(() => 1);
    expect(cellsOf('together')).toEqual(['', `**${compose}**`, `**${sum(replicasOf)}**`]);
    expect(page).toContain(`of all services ${compose} sessions`);
  });
});
