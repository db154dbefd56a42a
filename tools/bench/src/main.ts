// SPDX-License-Identifier: Apache-2.0
import { fileURLToPath } from 'node:url';
import { benchDeliveries } from './bench-deliveries.ts';
import { benchExports } from './bench-exports.ts';
import { benchHistory } from './bench-history.ts';
import { benchImport } from './bench-import.ts';
import { benchLatency } from './bench-latency.ts';
import { benchLists } from './bench-lists.ts';
import { benchNetworks } from './bench-networks.ts';
import { benchPipeline } from './bench-pipeline.ts';
import { benchRound } from './bench-round.ts';
import { findMissing } from './find-missing.ts';
import { benchRpc } from './rpc/bench-rpc.ts';
import { Report } from './report.ts';
import { parseBenchNames, type BenchName } from '../bench-names.mjs';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const report = new Report();
const benches = {
  deliveries: () => benchDeliveries(report),
  pipeline: () => benchPipeline(report, `${root}/.chainwatch/bench`),
  history: () => benchHistory(report, `${root}/.chainwatch/bench`),
  rpc: () => benchRpc(report),
  latency: () => benchLatency(report, `${root}/.chainwatch/bench`),
  round: () => benchRound(report),
  networks: () => benchNetworks(report, `${root}/.chainwatch/bench`),
  import: () => benchImport(report),
  exports: () => benchExports(report),
  lists: () => benchLists(report, `${root}/.chainwatch/bench`),
} as const satisfies Record<BenchName, () => Promise<void>>;

const chosen = parseBenchNames(process.argv.slice(2));
const missing = findMissing(chosen, process.env);
if (missing !== undefined) {
  console.error(missing);
  process.exit(2);
}
for (const name of chosen) {
  report.begin(name);
  await benches[name]();
}
report.write(`${root}/docs`);
process.exit(0);
