// SPDX-License-Identifier: Apache-2.0
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { Ledger } from './ledger.ts';
import { startRpcServer } from './rpc-server.ts';

/**
 * `node --import tsx tools/devnet/solana/run.ts --port 8899 [--interval 400] [--finality-slots 32] [--state file]`: a
 * block every so many milliseconds, by default on command only; in memory, or kept in a file.
 */
const { values } = parseArgs({
  options: {
    port: { type: 'string' },
    interval: { type: 'string', default: '0' },
    'finality-slots': { type: 'string', default: '32' },
    state: { type: 'string' },
  },
});
const SAVE_INTERVAL_MS = 30_000;

const file = values.state;
const saved = file !== undefined && existsSync(file) ? readFileSync(file) : undefined;
const ledger = new Ledger({
  finalitySlots: Number(values['finality-slots']),
  saved,
});
const stop = await startRpcServer({ port: Number(values.port), intervalMs: Number(values.interval), ledger });
const save = (): void => {
  if (file === undefined) return;
  // Replaced at once: a file that is half written would end the chain.
  writeFileSync(`${file}.partial`, ledger.save());
  renameSync(`${file}.partial`, file);
};
setInterval(save, SAVE_INTERVAL_MS).unref();
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    stop();
    save();
    process.exit(0);
  });
}
