import { Worker } from 'node:worker_threads';

/** The thread that derives: beside the sources a TypeScript file, beside a bundle its own entry point (tools/stack/bundle.mjs). */
export function startWorker(): Worker {
  const file = import.meta.url.endsWith('.ts') ? './source.worker.mjs' : './derivation.worker.mjs';
  return new Worker(new URL(file, import.meta.url), { name: 'bitcoin-hd', execArgv: [] });
}
