// SPDX-License-Identifier: Apache-2.0
import type { PostgresHandle } from '@chainwatch/testing';
import fc from 'fast-check';
import { commandOf, policyDepth } from './spec-command.ts';
import type { SpecScript } from './spec-script.ts';
import { SpecWorld, type SpecWorldOptions } from './spec-world.ts';

interface Playing<Payment, Script> {
  readonly postgres: PostgresHandle;
  readonly of?: SpecWorldOptions['of'];
  readonly payment: fc.Arbitrary<Payment>;
  readonly pool: readonly string[];
  readonly create: (world: SpecWorld, projects: readonly string[]) => Script;
  readonly check: (script: Script) => Promise<void>;
}

const RUNS = Number(process.env.ANALYZER_RUNS ?? 12);
/** Runs that exceed this time are left out, unless a number of runs is given. */
const TIME_MS = process.env.ANALYZER_RUNS === undefined ? 60_000 : Number.POSITIVE_INFINITY;

/** Plays random commands, each list in a world of its own, and checks the result. */
export async function playRandomly<Payment, Script extends SpecScript<Payment>>({
  postgres,
  of,
  payment,
  pool,
  create,
  check,
}: Playing<Payment, Script>): Promise<void> {
  const deadline = Date.now() + TIME_MS;
  await fc.assert(
    fc.asyncProperty(
      fc.array(commandOf(payment, pool.length), { minLength: 15, maxLength: 45, size: 'max' }),
      policyDepth,
      async (commands, depth) => {
        if (Date.now() > deadline) return;
        const world = await SpecWorld.start(postgres, {
          pollMs: 5,
          groupBlocksMax: 4,
          prefetchWindow: 6,
          of,
        });
        world.isPacking = true;
        let script: Script | undefined;
        try {
          script = create(world, [
            await world.addProject(),
            await world.addProject(),
            await world.addProject(),
          ]);
          script.early.push(
            await world.watch(script.projects[0]!, pool[0]!),
            await world.watch(script.projects[0]!, pool[1]!),
          );
          await script.choosePolicy(depth);
          await world.askForProgress(script.projects[1]!);
          script.start();
          for (const step of commands) await script.play(step);
          await script.commit();
          await script.settle();
          // The last process stays alive, so that it finishes what earlier ones left.
          await script.restart();
          await check(script);
        } finally {
          await script?.commit();
          await world.stop();
        }
      },
    ),
    { numRuns: RUNS },
  );
}
