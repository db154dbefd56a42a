// SPDX-License-Identifier: Apache-2.0
import { findExecutable } from '@chainwatch/testing/host';

/** What a bench starts besides Node and the servers of `npm start`, and the package that has it. */
const PROGRAMS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  rpc: { nginx: 'nginx', taskset: 'util-linux' },
};

/** What to install before these benches can run, in one sentence. */
export function findMissing(benches: readonly string[], env: NodeJS.ProcessEnv): string | undefined {
  const missing = benches.flatMap((bench) =>
    Object.entries(PROGRAMS[bench] ?? {})
      .filter(([program]) => findExecutable(program, env) === undefined)
      .map(([program, pack]) => ({ bench, program, pack })),
  );
  if (missing.length === 0) return undefined;
  const programs = missing.map(({ program }) => program).join(' and ');
  const packages = missing.map(({ pack }) => pack).join(' ');
  return `${missing[0]!.bench} is measured beside ${programs}, not found here: install it (apt-get install ${packages}), or name other benches.`;
}
