// SPDX-License-Identifier: Apache-2.0
import { findFamilyNamed } from '@chainwatch/chain-registry';
import { runIngestor } from '@chainwatch/ingestor';

await runIngestor('solana', findFamilyNamed);
