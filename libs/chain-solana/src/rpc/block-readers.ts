// SPDX-License-Identifier: Apache-2.0
import { readNumber, type BlockReader } from '@chainwatch/chain-core';

const COMMITMENT = /"commitment"\s*:\s*"(processed|confirmed|finalized)"/;
const SLOT = /^\s*\[\s*(\d{1,12})\s*[,\]]/;

const commitmentOf = (params: string): string => COMMITMENT.exec(params)?.[1] ?? 'finalized';

/** The health of a node tells its confirmed slot. */
const slotAt = (commitment: string): string => (commitment === 'confirmed' ? 'head' : `${commitment} slot`);

const current = (kindOf: (params: string) => string, ...path: readonly string[]): BlockReader => ({
  tells: 'head',
  needsParams: true,
  kindOf,
  read: (body) => readNumber(body, ['result', ...path]),
});
const slot = (...path: readonly string[]): BlockReader =>
  current((params) => slotAt(commitmentOf(params)), ...path);
const height = (...path: readonly string[]): BlockReader =>
  current((params) => `${commitmentOf(params)} height`, ...path);
const block = (...path: readonly string[]): BlockReader => ({
  tells: 'block',
  read: (body) => readNumber(body, ['result', ...path]),
});

/** Methods that answer with the slot of the bank that they read. */
const WITH_CONTEXT = [
  'getAccountInfo',
  'getBalance',
  'getFeeForMessage',
  'getLargestAccounts',
  'getLatestBlockhash',
  'getMultipleAccounts',
  'getProgramAccounts',
  'getStakeMinimumDelegation',
  'getSupply',
  'getTokenAccountBalance',
  'getTokenAccountsByDelegate',
  'getTokenAccountsByOwner',
  'getTokenLargestAccounts',
  'getTokenSupply',
  'isBlockhashValid',
  'simulateTransaction',
];

export const solanaBlockReaders: ReadonlyMap<string, BlockReader> = new Map<string, BlockReader>([
  ...WITH_CONTEXT.map((method) => [method, slot('context', 'slot')] as const),
  // Whatever its parameters say, it reads the processed bank.
  ['getSignatureStatuses', current(() => slotAt('processed'), 'context', 'slot')],
  ['getSlot', slot()],
  ['getBlockHeight', height()],
  ['getEpochInfo', slot('absoluteSlot')],
  [
    'getBlock',
    {
      ...block('parentSlot'),
      needsParams: true,
      askedOf: (params) => {
        const asked = SLOT.exec(params)?.[1];
        return asked === undefined ? undefined : Number(asked);
      },
    },
  ],
  ['getTransaction', block('slot')],
  ['getSignaturesForAddress', block('0', 'slot')],
  ['getRecentPerformanceSamples', block('0', 'slot')],
]);
