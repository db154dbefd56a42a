import { findFamily } from '@chainwatch/chain-registry';
import { runIngestor } from '@chainwatch/ingestor';
import { readConfig } from './config.ts';

await runIngestor({
  name: 'block-ingestor-bitcoin',
  familyName: 'bitcoin',
  family: await findFamily('bip122'),
  readConfig,
});
