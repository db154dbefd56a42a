// SPDX-License-Identifier: Apache-2.0
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { findProgram } from './find-program.ts';
import { killWithParent } from './kill-with-parent.ts';
import { waitFor } from './wait-for.ts';

export interface KafkaMock {
  /** `host:port` of each broker. */
  readonly brokers: readonly string[];
  stop(): Promise<void>;
}

/** The program; undefined where `kcat` is not installed. */
export const findKcat = (): string | undefined => findProgram('kcat');

/** The mock cluster of librdkafka: three brokers in one process, which lose everything with it. No TLS, no SASL. */
export async function startKafkaMock(): Promise<KafkaMock> {
  const program = findKcat();
  if (program === undefined) throw new Error('kcat was not found: install it, such as apt-get install kcat.');
  // A producer that waits for its standard input keeps the cluster.
  const args = ['-P', '-b', 'mock', '-t', 'kept', '-X', 'test.mock.num.brokers=3', '-d', 'mock'];
  const child = spawn(program, args, { stdio: ['pipe', 'ignore', 'pipe'] });
  const unwatch = killWithParent(child.pid!, 'KILL');
  child.once('exit', unwatch);
  let output = '';
  child.stderr.on('data', (chunk: Buffer) => (output = (output + chunk.toString()).slice(0, 4_000)));
  const find = (): string | undefined => /bootstrap\.servers=(\S+)/.exec(output)?.[1];
  await waitFor(async () => find() !== undefined, { message: () => `a mock cluster: ${output}` });
  return {
    brokers: find()!.split(','),
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.kill('SIGKILL');
      await once(child, 'exit');
    },
  };
}
