import { findFamily } from '@chainwatch/chain-registry';
import { runIngestor } from '@chainwatch/ingestor';
import { readConfig } from './config.ts';

await runIngestor({
  name: 'block-ingestor-solana',
  familyName: 'solana',
  family: await findFamily('solana'),
  readConfig,
});
