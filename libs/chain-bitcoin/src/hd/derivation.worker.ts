import { parentPort } from 'node:worker_threads';
import { initEccLib } from 'bitcoinjs-lib';
import * as secp256k1 from 'tiny-secp256k1';
import { answerTask } from './answer-task.ts';
import type { DerivationTask } from './derivation-task.ts';

// bitcoinjs-lib needs it to tweak taproot keys.
initEccLib(secp256k1);

// The thread's entry point: one task at a time, each answered before the next comes.
parentPort?.on('message', (task: DerivationTask) => parentPort?.postMessage(answerTask(task)));
