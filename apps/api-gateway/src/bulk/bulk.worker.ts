import { parentPort, workerData } from 'node:worker_threads';
import { createDatabase } from '@chainwatch/db';
import { ProblemError } from '@chainwatch/problem';
import { translateError } from '../server/translate-error.ts';
import type { Announced, BulkReply, BulkRequest, BulkSettings, ImportRequest } from './bulk-messages.ts';
import { FairTurns } from './fair-turns.ts';
import { importAddresses } from './import-addresses.ts';

// Runs as a thread of api-gateway (bulk-thread.ts): parses, checks and writes what would keep others waiting.

/** Chunks of one process that are written at the same time, each on its own connection. */
const CHUNKS_AT_ONCE = 2;

const settings = workerData as BulkSettings;
const db = createDatabase({
  url: settings.databaseUrl,
  isPrepared: settings.isPrepared,
  statementTimeoutMs: settings.statementTimeoutMs,
  applicationName: 'api-gateway-bulk',
  poolSize: CHUNKS_AT_ONCE,
});
const turns = new FairTurns(CHUNKS_AT_ONCE);
const running = new Map<number, AbortController>();

parentPort!.on('message', (request: BulkRequest) => {
  if (request.type === 'abort') running.get(request.id)?.abort();
  else void answer(request).then((reply) => post(reply));
});

async function answer({ id, bytes, author }: ImportRequest): Promise<BulkReply> {
  const controller = new AbortController();
  running.set(id, controller);
  try {
    const deps = {
      db,
      turns,
      uris: settings,
      onChanged: (first: Announced) => post({ type: 'changed', id, first }),
    };
    const answered = await importAddresses(deps, { bytes, author, signal: controller.signal });
    return { type: 'answer', id, bytes: answered };
  } catch (error) {
    const problem = error instanceof ProblemError ? error : translateError(error);
    if (problem === undefined)
      return { type: 'error', id, error: error instanceof Error ? error : new Error(String(error)) };
    const { code, publicMessage, fields, headers } = problem;
    return { type: 'problem', id, code, detail: publicMessage, fields, headers };
  } finally {
    running.delete(id);
  }
}

function post(reply: BulkReply): void {
  parentPort!.postMessage(reply, reply.type === 'answer' ? [reply.bytes.buffer as ArrayBuffer] : []);
}
