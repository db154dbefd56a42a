// SPDX-License-Identifier: Apache-2.0
import { readNumber, type BlockReader } from '@chainwatch/chain-core';
import { ethereumBlockReaders } from '@chainwatch/ethereum-rpc';
import { TRON_METHODS } from './methods.ts';

const NUMBER = ['block_header', 'raw_data', 'number'];
const NAMED = /id_or_num/;

const header = (kind: (params: string) => string): BlockReader => ({
  tells: 'head',
  needsParams: true,
  kindOf: kind,
  read: (body) => readNumber(body, NUMBER),
});
const block = (...path: readonly string[]): BlockReader => ({
  tells: 'block',
  read: (body) => readNumber(body, path),
});

/** A solidified block is compared with solidified ones alone. */
export const tronBlockReaders: ReadonlyMap<string, BlockReader> = new Map<string, BlockReader>([
  ...[...ethereumBlockReaders].filter(([method]) => TRON_METHODS.read.test(method)),
  ['wallet/getnowblock', header(() => 'head')],
  ['walletsolidity/getnowblock', header(() => 'solidified')],
  ['wallet/getblock', header((params) => (NAMED.test(params) ? 'block' : 'head'))],
  ['walletsolidity/getblock', header((params) => (NAMED.test(params) ? 'block' : 'solidified'))],
  ...['wallet', 'walletsolidity'].flatMap((side): [string, BlockReader][] => [
    [`${side}/getblockbynum`, block(...NUMBER)],
    [`${side}/getblockbyid`, block(...NUMBER)],
    [`${side}/getblockbylatestnum`, block('block', '0', ...NUMBER)],
    [`${side}/getblockbylimitnext`, block('block', '0', ...NUMBER)],
    [`${side}/gettransactioninfobyid`, block('blockNumber')],
    [`${side}/gettransactioninfobyblocknum`, block('0', 'blockNumber')],
  ]),
]);
