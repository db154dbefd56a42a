/**
 * The block-ingestor engine, the same for every chain family: follows the heads of the active chains, keeps the canonical
 * chain of headers as an ordered feed (chain_feed) with reorgs and finality, and publishes `block.new`.
 * Used by the block-ingestor apps.
 *
 * @example
 * await runIngestor({ name: 'block-ingestor-evm', familyName: 'evm', family: await findFamily('eip155'), readConfig });
 */
export { ingestorConfig, type IngestorConfig } from './ingestor-config.ts';
export { runIngestor, type IngestorService } from './run-ingestor.ts';
export {
  startIngestor,
  type Ingestor,
  type IngestorOptions,
  type IngestorReadiness,
} from './start-ingestor.ts';
export type { ChainReport } from './chain-report.ts';
