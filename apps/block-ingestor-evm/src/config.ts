import { loadConfig } from '@chainwatch/config';
import { ingestorConfig, type IngestorConfig } from '@chainwatch/ingestor';

/** @throws ConfigError that names every wrong variable */
export function readConfig(): IngestorConfig {
  return loadConfig(ingestorConfig);
}
