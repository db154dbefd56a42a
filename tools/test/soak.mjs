// SPDX-License-Identifier: Apache-2.0
/**
 * `npm run soak`: what takes longer than `npm test` may. `npm run soak -- oracle ...` runs the parts named,
 * `--scripts 100` shortens the random histories, SOAK_SEED=n begins them at another one.
 *
 * To add a part, put a line into `PARTS`: a name, a title, what Jest is to run (paths or patterns), the environment it
 * wants and a program that `npm test` does not install. A spec that only soak runs is named `*.soak.spec.ts`: `npm test` leaves it out.
 */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { findExecutable } from '../../libs/testing/src/host/find-executable.mjs';
import { repoDir } from '../../libs/testing/src/host/repo.mjs';
import { exitWith, UsageError } from '../../libs/testing/src/host/setup-error.mjs';

/** @type {readonly { name: string, title: string, specs: readonly string[], env?: Readonly<Record<string, string>>, program?: string }[]} */
const PARTS = [
  {
    name: 'oracle',
    title: 'every family against its oracle over random histories',
    specs: [
      'tools/acceptance/src/.*/oracle\\.spec\\.ts$',
      'apps/tx-analyzer/src/start-analyzer\\.bcoin\\.spec\\.ts$',
    ],
    env: { ANALYZER_ROUNDS: '200' },
  },
  {
    name: 'crashes',
    title: 'every service killed at random, 50 times a family',
    specs: ['tools/acceptance/src/.*/crash\\.spec\\.ts$'],
    env: { CRASH_KILLS: '50' },
  },
  {
    name: 'failover',
    title: 'owners stopped in and out of a transaction, and all of their replicas gone',
    specs: ['tools/acceptance/src/faults/failover\\.spec\\.ts$'],
  },
  {
    name: 'proofs',
    title: 'the proof of EVM blocks over 1,000 random blocks, tries, and traces',
    specs: [
      'libs/chain-evm/src/(verify-block\\.property|traced\\.property|compute-ordered-root|prove-senders)',
    ],
    env: { PROVE_RUNS: '1000' },
  },
  {
    name: 'inclusion',
    title:
      '10,000 random transactions of anvil, bcoin and the local TRON node are proved and verified (PROOF_RUNS=n)',
    specs: ['tools/acceptance/src/proofs/.*\\.soak\\.spec\\.ts$'],
    env: { PROOF_RUNS: process.env.PROOF_RUNS ?? '10000' },
  },
  {
    name: 'dashboard',
    title: 'barriers of every page in the dark and on the smallest phone, too',
    specs: ['tools/acceptance/src/dashboard/dashboard\\.spec\\.ts$'],
  },
  {
    name: 'lies',
    title: 'a node of each family tells every lie that its liar knows',
    specs: [
      'tools/acceptance/src/.*/lies\\.soak\\.spec\\.ts$',
      'apps/tx-analyzer/src/start-analyzer\\.lies\\.',
    ],
  },
  {
    name: 'hostile',
    title: '2,000 hostile values of contracts, memos, mints and requests beside payments that nobody misses',
    specs: ['tools/acceptance/src/hostile/'],
    env: { HOSTILE_CASES: '500' },
  },
  {
    name: 'wallets',
    title:
      'a hot wallet of each family: two workers send 2,000 times over two gateways, nodes fail, Redis dies (WALLET_SENDS=n)',
    specs: ['apps/rpc-proxy/src/hot-wallet/.*\\.soak\\.spec\\.ts$'],
  },
  {
    name: 'expressions',
    title: 'a million generated events go through 100 channels with expressions (EXPRESSION_EVENTS=n)',
    specs: ['tools/acceptance/src/deliveries/expressions\\.soak\\.spec\\.ts$'],
  },
  {
    name: 'books',
    title: 'a statement and a reconciliation of a million generated movements in 128 MiB each',
    specs: [
      'tools/acceptance/src/statements/.*\\.soak\\.spec\\.ts$',
      'apps/api-gateway/src/reconciliations/million\\.soak\\.spec\\.ts$',
    ],
  },
  {
    name: 'streams',
    title: 'a gateway keeps 2,000 event streams open within 200 MB',
    specs: ['tools/acceptance/src/faults/many-streams\\.soak\\.spec\\.ts$'],
  },
  {
    name: 'untraced',
    title: 'an EVM node without traces that lies, and its random histories',
    specs: ['tools/acceptance/src/evm/untraced\\.'],
  },
  {
    name: 'memos',
    title: 'memos of Bitcoin, Solana and TRON from the local nodes to the events',
    specs: ['tools/acceptance/src/.*/memo\\.soak\\.spec\\.ts$'],
  },
  {
    name: 'generators',
    title:
      'what the Nx generators write passes types, lint, format and its specs; a fifth family of theirs is followed, a new network, a toy channel kind and a toy event',
    specs: [
      'tools/nx/src/generators\\.soak\\.spec\\.ts$',
      'tools/acceptance/src/families/.*\\.soak\\.spec\\.ts$',
      'tools/acceptance/src/deliveries/toy-.*\\.soak\\.spec\\.ts$',
    ],
  },
  {
    name: 'lock',
    title: 'npm 10 and 11 accept the lock (the registry of packages is asked)',
    specs: ['tools/test/src/package-lock\\.soak\\.spec\\.ts$'],
  },
  {
    name: 'image',
    title: 'the image is built from a fresh clone',
    specs: ['tools/stack/image\\.soak\\.spec\\.ts$'],
    program: 'buildah',
  },
  {
    name: 'nats-cluster',
    title: 'a NATS cluster of three loses a server again and again (SOAK_KILLS=n, default 30)',
    specs: ['tools/acceptance/src/faults/nats-cluster\\.soak\\.spec\\.ts$'],
  },
  {
    name: 'rollout',
    title: 'a rolling update of every service under load (ROLLOUT_ROUNDS=n, default 1)',
    specs: ['tools/acceptance/src/[a-z]+/rollout\\.soak\\.spec\\.ts$'],
  },
  {
    name: 'upgrade',
    title: 'a database of release 0.1.0 with work to do, and a million rows beside it, is upgraded',
    specs: ['tools/acceptance/src/upgrade/.*\\.soak\\.spec\\.ts$'],
  },
  {
    name: 'restore',
    title: 'a base backup under load, and a recovery to a point in time by deploy/backup/restore.sh',
    specs: ['tools/acceptance/src/restore/restore\\.soak\\.spec\\.ts$'],
  },
  {
    name: 'scale',
    title:
      'replicas, a NATS cluster and a PostgreSQL with a standby lose a node in turn (SCALE_MINUTES=n, default 5)',
    specs: ['tools/acceptance/src/scale/.*\\.soak\\.spec\\.ts$'],
  },
  {
    name: 'panels',
    title: 'every panel of the dashboards has data, from a Prometheus that scrapes everything',
    specs: ['tools/acceptance/src/panels/panels\\.soak\\.spec\\.ts$'],
  },
  {
    name: 'logins',
    title: 'every service works with a login of its own in PostgreSQL',
    specs: ['tools/acceptance/src/faults/logins\\.soak\\.spec\\.ts$'],
  },
  {
    name: 'pgbouncer',
    title: 'services behind PgBouncer in transaction mode, without prepared statements',
    specs: [
      'libs/data/src/db/pgbouncer\\.spec\\.ts$',
      'tools/acceptance/src/[a-z]+/(crash|oracle|mempool)\\.spec\\.ts$',
      'tools/acceptance/src/(deliveries|faults|tenants)/',
    ],
    env: { TEST_PGBOUNCER: '1', SOAK_SCRIPTS: '20' },
    program: 'pgbouncer',
  },
];

const { names, scripts } = parseOptions(process.argv.slice(2));

const failed = [];
for (const { name, title, specs, env, program } of PARTS) {
  if (names.length > 0 && !names.includes(name)) continue;
  console.log(`\n${name}: ${title}`);
  if (program !== undefined && findExecutable(program, process.env) === undefined) {
    console.error(
      `${name}: FAILED, ${program} was not found: install it, such as apt-get install ${program}`,
    );
    failed.push(name);
    continue;
  }
  const startedAt = Date.now();
  const { status } = spawnSync(process.execPath, [join(repoDir, 'tools/test/run.mjs'), ...specs], {
    cwd: repoDir,
    stdio: 'inherit',
    env: { ...process.env, SOAK: '1', SOAK_SCRIPTS: scripts, ...env },
  });
  console.log(
    `${name}: ${status === 0 ? 'passed' : 'FAILED'} in ${Math.round((Date.now() - startedAt) / 1_000)} s`,
  );
  if (status !== 0) failed.push(name);
}
if (failed.length > 0) console.error(`\nfailed: ${failed.join(', ')}`);
process.exitCode = failed.length > 0 ? 1 : 0;

/** @param {readonly string[]} args */
function parseOptions(args) {
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: { scripts: { type: 'string', default: '1000' } },
    });
    const unknown = positionals.filter((name) => PARTS.every((part) => part.name !== name));
    if (unknown.length > 0)
      throw new Error(
        `expected parts of ${PARTS.map(({ name }) => name).join(', ')}, got ${unknown.join(', ')}`,
      );
    if (!/^[1-9]\d{0,8}$/.test(values.scripts))
      throw new Error(`expected --scripts with a number from 1 on, got ${values.scripts || 'nothing'}`);
    return { names: positionals, scripts: values.scripts };
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return exitWith(new UsageError(`${message}: npm run soak -- [part …] [--scripts N]`));
  }
}
