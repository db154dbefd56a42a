import { parentPort } from 'node:worker_threads';
import { answerTask } from './answer-task.ts';
import type { DerivationTask } from './derivation-task.ts';

// The thread's entry point: one task at a time, each answered before the next comes.
parentPort?.on('message', (task: DerivationTask) => parentPort?.postMessage(answerTask(task)));
