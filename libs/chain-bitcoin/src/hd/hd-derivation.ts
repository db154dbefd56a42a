// SPDX-License-Identifier: Apache-2.0
import type { HdDerivation } from '@chainwatch/chain-core';
import { deriveAddresses, startDeriving } from './derive-addresses.ts';
import { parsePublicKey } from './parse-public-key.ts';

/** Accounts of single-signature wallets: BIP-32 keys under the paths of BIP-44, 49, 84 and 86. */
export const hdDerivation: HdDerivation = {
  parsePublicKey,
  start: startDeriving,
  deriveAddresses,
};
