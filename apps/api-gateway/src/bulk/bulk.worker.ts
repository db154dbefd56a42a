// SPDX-License-Identifier: Apache-2.0
import Tinypool from 'tinypool';
import { createDatabase } from '@chainwatch/db';
import { ProblemError } from '@chainwatch/problem';
import { toProblemData } from '../server/problem-data.ts';
import { translateError } from '../server/translate-error.ts';
import type { Announced, BulkAnswer, BulkSettings, BulkTask } from './bulk-task.ts';
import { importAddresses } from './import-addresses.ts';

// Runs as a thread of api-gateway (bulk-threads.ts): parses, checks and writes what would keep others waiting.

const settings = Tinypool.workerData as BulkSettings;
const db = createDatabase({
  url: settings.databaseUrl,
  isPrepared: settings.isPrepared,
  statementTimeoutMs: settings.statementTimeoutMs,
  applicationName: 'api-gateway-bulk',
  poolSize: 1,
});

/** What the threads of BulkThreads run. Never rejects. */
export default async function carryOut(task: BulkTask): Promise<BulkAnswer> {
  const changed: Announced[] = [];
  try {
    const deps = { db, uris: settings, onChanged: (first: Announced) => changed.push(first) };
    return { type: 'json', bytes: await importAddresses(deps, task), changed };
  } catch (error) {
    const problem = error instanceof ProblemError ? error : translateError(error);
    if (problem === undefined)
      return { type: 'error', error: error instanceof Error ? error : new Error(String(error)), changed };
    return { ...toProblemData(problem), changed };
  }
}
