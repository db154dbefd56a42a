import { findFamily } from '@chainwatch/chain-registry';
import { runIngestor } from '@chainwatch/ingestor';
import { readConfig } from './config.ts';

await runIngestor({
  name: 'block-ingestor-evm',
  familyName: 'evm',
  family: await findFamily('eip155'),
  readConfig,
});
