// SPDX-License-Identifier: Apache-2.0
import { IncompleteBlockError, type BalanceChange, type Network } from '@chainwatch/chain-core';
import { decodeAtomicTransactions } from './atomic-transactions.ts';
import { data, encodeRlpItem, keccak256Hex } from './encode-rlp.ts';
import { readTraits } from './networks.ts';
import type { EvmTraits } from './networks.ts';
import type { RawHeader } from './raw-block.ts';
import type { UnknownParts } from './unknown-parts.ts';

/** 1 nAVAX, the unit of atomic transactions, in wei. */
const WEI_PER_NAVAX = 1_000_000_000n;
/** Blocks before Apricot Phase 1 (March 2021) have this `extDataHash`; nothing in their header proves the data. */
const NO_HASH = `0x${'00'.repeat(32)}`;

/**
 * Whether `blockExtraData` is what the header says it is: `extDataHash` is the keccak-256 of its RLP (coreth,
 * `CalcExtDataHash`). True where the header says nothing of it.
 * @throws InvalidHexError
 */
function hasItsExtraData(header: RawHeader, { stack }: Pick<EvmTraits, 'stack'>): boolean {
  return expectsExtraData(header, stack) ? hashOf(header) === header.extDataHash : true;
}

/**
 * Proves the atomic transactions of a block, and names what of them is not known.
 * @throws IncompleteBlockError where the data is not that of the header, InvalidHexError
 */
export function verifyExtraData(header: RawHeader, traits: EvmTraits, parts: UnknownParts): void {
  if (!hasItsExtraData(header, traits))
    throw new IncompleteBlockError(
      `extDataHash of block ${Number(header.number)} ${header.hash}: expected ${header.extDataHash}, got ${hashOf(header)} from its blockExtraData`,
    );
  const unknown = readAtomic(header, traits)?.unknown;
  if (unknown !== undefined) parts.add(unknown.what, unknown.name, unknown);
}

/**
 * What atomic transactions move into the chain and out of it: native coins that no transaction of the block carries. Other
 * assets than AVAX are in no balance that anybody reads. Where the header does not prove the data, the balance is read
 * without an amount.
 */
export function decodeAtomicChanges(network: Network, header: RawHeader): BalanceChange[] {
  const traits = readTraits(network);
  const atomic = readAtomic(header, traits);
  const assetGid = network.native?.gid;
  if (atomic === undefined || assetGid === undefined) return [];
  const { avaxAssetId } = traits;
  const isProved = expectsExtraData(header, traits.stack) && avaxAssetId !== undefined;
  return atomic.moves
    .filter(({ assetId }) => avaxAssetId === undefined || assetId === avaxAssetId)
    .map(({ address, amount }) => ({
      address,
      assetGid,
      ...(isProved && { amountRaw: amount * WEI_PER_NAVAX }),
      reason: 'atomic',
    }));
}

function readAtomic(
  { blockExtraData }: RawHeader,
  { stack }: Pick<EvmTraits, 'stack'>,
): ReturnType<typeof decodeAtomicTransactions> | undefined {
  if (stack !== 'avalanche' || typeof blockExtraData !== 'string' || blockExtraData === '0x')
    return undefined;
  return decodeAtomicTransactions(Buffer.from(data(blockExtraData).slice(2), 'hex'));
}

function expectsExtraData({ extDataHash }: RawHeader, stack: EvmTraits['stack']): boolean {
  return stack === 'avalanche' && typeof extDataHash === 'string' && extDataHash !== NO_HASH;
}

function hashOf({ blockExtraData }: RawHeader): string {
  return `0x${keccak256Hex(encodeRlpItem(data(blockExtraData)))}`;
}
