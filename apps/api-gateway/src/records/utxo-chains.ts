// SPDX-License-Identifier: Apache-2.0
import type { Network } from '@chainwatch/chain-core';
import { findFamilyNamed } from '@chainwatch/chain-registry';

export interface UtxoChain {
  readonly network: Network;
  /** Confirmations before a coinbase may be spent. */
  readonly coinbaseMaturity: number;
}

/** The networks of a family whose balances are made of unspent outputs; none for account-based families. */
export async function listUtxoChains(familyName: string): Promise<UtxoChain[]> {
  const family = await findFamilyNamed(familyName);
  const { catalogue, utxo } = family ?? {};
  return catalogue === undefined || utxo === undefined
    ? []
    : catalogue.networks.map((network) => ({ network, coinbaseMaturity: utxo.coinbaseMaturityOf(network) }));
}
