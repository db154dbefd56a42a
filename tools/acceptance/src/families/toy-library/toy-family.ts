// SPDX-License-Identifier: Apache-2.0
import { InvalidAddressError, resolveAssetPath, type ChainFamily } from '@chainwatch/chain-core';
import { toyManifest } from './manifest.ts';
import { ToyClient } from './toy-client.ts';
import { toyRpc } from './toy-rpc.ts';

export const toyFamily: ChainFamily = {
  ...toyManifest,
  parseAddress: (input) => {
    const canonical = input.toLowerCase();
    if (/^toy1[0-9a-f]{16}$/.test(canonical)) return { canonical, display: canonical, format: 'toy' };
    throw new InvalidAddressError(
      `expected toy1 and 16 hexadecimal digits, got ${JSON.stringify(input.slice(0, 40))}`,
    );
  },
  parseAssetPath: (network, assetPath) => resolveAssetPath(network, assetPath, []),
  rpc: toyRpc,
  createClient: (options) => new ToyClient(options),
};
