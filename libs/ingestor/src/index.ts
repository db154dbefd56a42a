// SPDX-License-Identifier: Apache-2.0
/**
 * The block-ingestor engine, the same for every chain family: follows the heads of the active chains, keeps the canonical
 * chain of headers as an ordered feed (chain_feed) with reorgs and finality, and publishes `block.new`.
 * Used by the block-ingestor apps.
 *
 * @example
 * await runIngestor('evm', findFamilyNamed); // the whole of apps/block-ingestor-evm
 */
export { runIngestor } from './run-ingestor.ts';
export { startIngestor, type Ingestor, type IngestorReadiness } from './start-ingestor.ts';
export type { IngestorOptions } from './ingestor-options.ts';
export type { ChainReport } from './chain-report.ts';
