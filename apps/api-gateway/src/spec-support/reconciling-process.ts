// SPDX-License-Identifier: Apache-2.0
import { createDatabase } from '@chainwatch/data/db';
import { reconcileStep } from '../reconciliations/reconcile-step.ts';

// A worker in a process of its own, to be killed. Says each step that it has begun.

const db = createDatabase({ url: process.argv[2]!, applicationName: 'reconciling-process', poolSize: 1 });
for (;;) {
  const isBusy = await reconcileStep(db, ({ phase }) => process.stdout.write(`${phase}\n`));
  if (!isBusy) await new Promise((resolve) => setTimeout(resolve, 50));
}
