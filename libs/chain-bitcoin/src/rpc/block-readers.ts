// SPDX-License-Identifier: Apache-2.0
import { readNumber, type BlockReader } from '@chainwatch/chain-core';

const at = (tells: BlockReader['tells'], ...path: readonly string[]): BlockReader => ({
  tells,
  read: (body) => readNumber(body, ['result', ...path]),
});
const HEIGHT = /^\s*(?:\[\s*|\{\s*"height"\s*:\s*)(\d{1,9})\s*[,\]}]/;

/** `getbestblockhash` tells no height. */
export const bitcoinBlockReaders: ReadonlyMap<string, BlockReader> = new Map<string, BlockReader>([
  ['getblockcount', at('head')],
  ['getblockchaininfo', at('head', 'blocks')],
  ['getmininginfo', at('head', 'blocks')],
  ['getblock', at('block', 'height')],
  ['getblockheader', at('block', 'height')],
  ['getblockstats', at('block', 'height')],
  ['getdeploymentinfo', at('block', 'height')],
  ['gettxoutsetinfo', at('block', 'height')],
  ['scantxoutset', at('block', 'height')],
  ['getchaintxstats', at('block', 'window_final_block_height')],
  ['waitfornewblock', at('block', 'height')],
  ['waitforblock', at('block', 'height')],
  ['waitforblockheight', at('block', 'height')],
  [
    'getblockhash',
    {
      tells: 'block',
      needsParams: true,
      read: () => undefined,
      askedOf: (params) => {
        const height = HEIGHT.exec(params)?.[1];
        return height === undefined ? undefined : Number(height);
      },
    },
  ],
]);
