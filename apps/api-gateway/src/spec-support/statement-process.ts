// SPDX-License-Identifier: Apache-2.0
import { randomBytes } from 'node:crypto';
import { inspect } from 'node:util';
import { createDatabase } from '@chainwatch/data/db';
import { createStatementSigner } from '../statements/signing-key.ts';
import { StatementWorker } from '../statements/statement-worker.ts';

/** A replica's worker in a process of its own, for specs that kill it: DATABASE_URL. */
const db = createDatabase({
  url: process.env.DATABASE_URL!,
  applicationName: 'statement-process',
  poolSize: 3,
});
new StatementWorker({
  ...{ db, pauseMs: 20 },
  signer: createStatementSigner(randomBytes(32).toString('base64')),
  logger: { warn: (fields: unknown) => void process.stderr.write(`${inspect(fields)}\n`) },
});
// Its own timers hold no process.
setInterval(() => undefined, 60_000);
