// SPDX-License-Identifier: Apache-2.0
import { fileURLToPath } from 'node:url';
import { benchBitcoin } from './bench-bitcoin.ts';
import { benchDeliveries } from './bench-deliveries.ts';
import { benchExports } from './bench-exports.ts';
import { benchFeel } from './bench-feel.ts';
import { benchGateway } from './bench-gateway.ts';
import { benchHd } from './bench-hd.ts';
import { benchHistory } from './bench-history.ts';
import { benchImport } from './bench-import.ts';
import { benchLatency } from './bench-latency.ts';
import { benchLists } from './bench-lists.ts';
import { benchNetworks } from './bench-networks.ts';
import { benchPeers } from './bench-peers.ts';
import { benchPipeline } from './bench-pipeline.ts';
import { benchRetention } from './bench-retention.ts';
import { benchRevocation } from './bench-revocation.ts';
import { benchRound } from './bench-round.ts';
import { benchSolana } from './bench-solana.ts';
import { benchTotals } from './bench-totals.ts';
import { benchTron } from './bench-tron.ts';
import { benchWatchSet } from './bench-watch-set.ts';
import { findMissing } from './find-missing.ts';
import { benchRpc } from './rpc/bench-rpc.ts';
import { Report } from './report.ts';
import { parseBenchNames, type BenchName } from '../bench-names.mjs';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const report = new Report();
const benches = {
  'watch-set': async () => benchWatchSet(report),
  bitcoin: () => benchBitcoin(report, `${root}/.chainwatch/bench`),
  solana: () => benchSolana(report, `${root}/.chainwatch/bench`),
  deliveries: () => benchDeliveries(report),
  hd: () => benchHd(report),
  tron: () => benchTron(report, `${root}/.chainwatch/bench`),
  revocation: () => benchRevocation(report),
  retention: () => benchRetention(report),
  pipeline: () => benchPipeline(report, `${root}/.chainwatch/bench`),
  history: () => benchHistory(report, `${root}/.chainwatch/bench`),
  rpc: () => benchRpc(report),
  latency: () => benchLatency(report, `${root}/.chainwatch/bench`),
  round: () => benchRound(report),
  networks: () => benchNetworks(report, `${root}/.chainwatch/bench`),
  feel: () => benchFeel(report, `${root}/.chainwatch/bench`),
  gateway: () => benchGateway(report),
  import: () => benchImport(report),
  exports: () => benchExports(report),
  totals: () => benchTotals(report),
  lists: () => benchLists(report, `${root}/.chainwatch/bench`),
  peers: () => benchPeers(report, `${root}/.chainwatch/bench`),
} as const satisfies Record<BenchName, () => Promise<void>>;

const chosen = parseBenchNames(process.argv.slice(2));
const missing = findMissing(chosen, process.env);
if (missing !== undefined) {
  console.error(missing);
  process.exit(2);
}
for (const name of chosen) await benches[name]();
report.write(`${root}/docs`);
process.exit(0);
