import type { ChainFamily } from '@chainwatch/chain-core';
import { BitcoinClient } from './bitcoin-client.ts';
import { hdDerivation } from './hd/hd-derivation.ts';
import { bitcoinManifest } from './manifest.ts';
import { parseAddress } from './parse-address.ts';
import { parseAssetPath } from './parse-asset-path.ts';
import { findAddress, matchKeyOf } from './script-address.ts';
import { bitcoinRpc } from './rpc/bitcoin-rpc.ts';

/** Bitcoin and its test networks. */
export const bitcoinFamily: ChainFamily = {
  ...bitcoinManifest,
  parseAddress,
  burnAddresses: ['1BitcoinEaterAddressDontSendf59kuE', '1CounterpartyXXXXXXXXXXXXXXXUWLpVr'],
  parseAssetPath,
  rpc: bitcoinRpc,
  createClient: (options) => new BitcoinClient(options),
  utxo: { coinbaseMaturity: 100, matchKeyOf, findAddress },
  hd: hdDerivation,
};
