import type { ChainFamily } from '@chainwatch/chain-core';
import { BitcoinClient } from './bitcoin-client.ts';
import { hdDerivation } from './hd/hd-derivation.ts';
import { bitcoinNetworks } from './networks.ts';
import { parseAddress } from './parse-address.ts';
import { parseAssetPath } from './parse-asset-path.ts';
import { findAddress, matchKeyOf } from './script-address.ts';

/** Bitcoin and its test networks. */
export const bitcoinFamily: ChainFamily = {
  name: 'bitcoin',
  namespace: 'bip122',
  networks: bitcoinNetworks,
  interfaces: [
    { name: 'rpc', description: 'JSON-RPC interface', exampleUrl: 'https://node.example.com:8332' },
  ],
  parseAddress,
  burnAddresses: ['1BitcoinEaterAddressDontSendf59kuE', '1CounterpartyXXXXXXXXXXXXXXXUWLpVr'],
  parseAssetPath,
  createClient: (options) => new BitcoinClient(options),
  utxo: { coinbaseMaturity: 100, matchKeyOf, findAddress },
  hd: hdDerivation,
};
