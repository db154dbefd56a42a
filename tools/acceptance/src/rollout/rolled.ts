// SPDX-License-Identifier: Apache-2.0
import type { Service } from '../fleet.ts';

/** Which service is replaced over which chain. What is of no family runs with a family that makes it work most. */
export const ROLLED = {
  evm: ['api-gateway', 'rpc-proxy', 'block-ingestor-evm', 'tx-analyzer', 'balance-service', 'notifier'],
  // With a mempool.
  bitcoin: ['block-ingestor-bitcoin', 'tx-analyzer', 'balance-service'],
  solana: ['block-ingestor-solana'],
  tron: ['block-ingestor-tron'],
} satisfies Record<string, readonly Service[]>;
