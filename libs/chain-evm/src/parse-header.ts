// SPDX-License-Identifier: Apache-2.0
import { IncompleteBlockError } from '@chainwatch/chain-core';
import type { BlockHeader, BlockRef, UnknownPart } from '@chainwatch/chain-core';
import type { Hex } from 'viem';
import { data, encodeRlp, InvalidHexError, keccak256Hex, quantity } from './encode-rlp.ts';
import { headerMembers } from './known-members.ts';
import { traitsAt } from './networks.ts';
import type { EvmTraits } from './networks.ts';
import { toRawHeader } from './parse-raw-block.ts';
import type { RawHeader } from './raw-block.ts';
import { describeMember, listUnknownMembers, UnknownParts } from './unknown-parts.ts';

/**
 * A header from a node's answer, its hash proved. A header with an unknown member is taken at its word here;
 * whoever reads its block decides whether to accept it.
 * @throws ChainClientError when it is no header, IncompleteBlockError when the hash is not that of the fields
 */
export function parseHeader(json: unknown, traits: EvmTraits): BlockHeader {
  const header = toRawHeader(json);
  verifyHeader(header, traits);
  return toBlockHeader(header);
}

/**
 * All fields of a header from a node's answer, its hash proved unless it has unknown members that the hash covers.
 * @throws ChainClientError when it is no header, IncompleteBlockError when the hash is not that of the fields
 */
export function parseWholeHeader(
  json: unknown,
  traits: EvmTraits,
): { readonly header: RawHeader; readonly unknown: readonly UnknownPart[] } {
  const header = toRawHeader(json);
  return { header, unknown: verifyHeader(header, traits) };
}

/** `parseHeader` of a header without unknown members; undefined for one that has some. */
export function parseKnownHeader(json: unknown, traits: EvmTraits): BlockHeader | undefined {
  const header = toRawHeader(json);
  return verifyHeader(header, traits).length === 0 ? toBlockHeader(header) : undefined;
}

/** What the ingestor follows of a header. */
export function toBlockHeader(header: RawHeader): BlockHeader {
  return {
    number: Number(header.number),
    hash: header.hash,
    parentHash: header.parentHash,
    timestamp: Number(header.timestamp),
    ...findTimestampMs(header),
  };
}

/**
 * The milliseconds of a header that tells them: in Avalanche's `timestampMilliseconds` and BSC's `mixHash`, which are part of
 * its hash, or beside it in Base's `timestampMs`. They only refine the seconds; others are not believed.
 */
function findTimestampMs(header: RawHeader): Pick<BlockHeader, 'timestampMs'> {
  const { timestamp, timestampMilliseconds, timestampMs, mixHash } = header;
  const seconds = Number(timestamp);
  const told = [timestampMilliseconds, timestampMs].map((text) => toNumber(text) - 1_000 * seconds);
  const part = [...told, toNumber(mixHash)].find((ms) => ms > 0 && ms < 1_000);
  return part === undefined ? {} : { timestampMs: 1_000 * seconds + part };
}

/** NaN unless it is hexadecimal. A random `mixHash` is far beyond what a number holds exactly. */
function toNumber(text: unknown): number {
  return typeof text === 'string' && /^0x[0-9a-f]{1,64}$/i.test(text) ? Number(text) : Number.NaN;
}

/** `verifyHeader` of a header that must be that of `ref`. @throws IncompleteBlockError */
export function verifyHeaderOf(ref: BlockRef, header: RawHeader, traits: EvmTraits): readonly UnknownPart[] {
  expectEqual('hash', ref.hash, header.hash);
  expectEqual('number', ref.number, Number(header.number));
  return verifyHeader(header, traits);
}

/**
 * Proves that a header's hash is that of its fields. An unknown member does no harm where the hash matches
 * without it.
 * @returns the unknown members that keep the hash from matching, in which case nothing of the header is
 * proved; else none
 * @throws IncompleteBlockError unless the network is known to have headers of other shapes
 */
function verifyHeader(header: RawHeader, traits: EvmTraits): readonly UnknownPart[] {
  if (traitsAt(traits, Number(header.number)).header === 'tolerant') return [];
  const got = hashHeader(header);
  if (got === header.hash) return [];
  const names = listUnknownMembers(header, headerMembers);
  const what = `header of block ${Number(header.number)}`;
  if (names.length === 0)
    throw new IncompleteBlockError(
      `${what} does not have its hash: expected ${header.hash}, got ${got} from its fields`,
    );
  const unknown = new UnknownParts();
  for (const name of names)
    unknown.add('header-field', name, {
      expected: `a header with the hash ${header.hash}`,
      got: describeMember(header, name),
    });
  return unknown.list;
}

/** Keccak-256 of the header's RLP, with prefix. @throws IncompleteBlockError when a field is not hexadecimal */
function hashHeader(header: RawHeader): string {
  try {
    return `0x${keccak256Hex(encodeHeader(header))}`;
  } catch (error) {
    if (!(error instanceof InvalidHexError)) throw error;
    throw new IncompleteBlockError(`header of block ${String(header.number)}: ${error.message}`, {
      cause: error,
    });
  }
}

const WITH_WITHDRAWALS: readonly EvmTraits['stack'][] = ['ethereum', 'berachain', 'hyperevm'];

/** On the OP stack the field holds a storage root of the bridge (Isthmus), on Avalanche it does not exist. */
export function hasWithdrawalsRoot(header: RawHeader, traits: EvmTraits): boolean {
  return typeof header.withdrawalsRoot === 'string' && WITH_WITHDRAWALS.includes(traits.stack);
}

function expectEqual(what: string, expected: string | number, got: string | number): void {
  if (expected !== got) throw new IncompleteBlockError(`block ${what}: expected ${expected}, got ${got}`);
}

type Field = readonly [(hex: string | null | undefined) => Hex, string | null | undefined];

/**
 * The encoding of a header that its hash covers: the fields of the Yellow Paper, then what the forks appended
 * (London, Shanghai, Cancun, Prague), with Avalanche's and Berachain's own fields and AuRa's seal where the header carries
 * them.
 * @throws InvalidHexError
 */
export function encodeHeader(header: RawHeader): Uint8Array {
  const isAvalanche = typeof header.extDataHash === 'string';
  return encodeRlp([
    data(header.parentHash),
    data(header.sha3Uncles),
    data(header.miner),
    data(header.stateRoot),
    data(header.transactionsRoot),
    data(header.receiptsRoot),
    data(header.logsBloom),
    quantity(header.difficulty),
    quantity(header.number),
    quantity(header.gasLimit),
    quantity(header.gasUsed),
    quantity(header.timestamp),
    data(header.extraData),
    ...sealFields(header),
    ...(isAvalanche ? [data(header.extDataHash)] : []),
    ...encodeOptional(isAvalanche ? avalancheFields(header) : forkFields(header)),
  ]);
}

function sealFields(header: RawHeader): readonly Hex[] {
  return typeof header.mixHash !== 'string' && typeof header.auraSeal === 'string'
    ? [quantity(header.auraStep), data(header.auraSeal)]
    : [data(header.mixHash), data(header.nonce)];
}

/** Fields after the last one that is present are left out; a gap before it is the empty string. */
function encodeOptional(fields: readonly Field[]): readonly Hex[] {
  const last = fields.findLastIndex(([, value]) => typeof value === 'string');
  return fields.slice(0, last + 1).map(([encode, value]) => encode(value));
}

function forkFields(header: RawHeader): readonly Field[] {
  return [
    [quantity, header.baseFeePerGas],
    [data, header.withdrawalsRoot],
    [quantity, header.blobGasUsed],
    [quantity, header.excessBlobGas],
    [data, header.parentBeaconBlockRoot],
    [data, header.requestsHash],
    ...(typeof header.parentProposerPubkey === 'string'
      ? ([[data, header.parentProposerPubkey]] as const)
      : []),
    [data, header.blockAccessListHash],
    [quantity, header.slotNumber],
  ];
}

function avalancheFields(header: RawHeader): readonly Field[] {
  return [
    [quantity, header.baseFeePerGas],
    [quantity, header.extDataGasUsed],
    [quantity, header.blockGasCost],
    [quantity, header.blobGasUsed],
    [quantity, header.excessBlobGas],
    [data, header.parentBeaconBlockRoot],
    [quantity, header.timestampMilliseconds],
    [quantity, header.minDelayExcess],
    [quantity, header.targetExponent],
    [quantity, header.minPriceExponent],
    [quantity, header.settledHeight],
    [quantity, header.settledGasUnix],
    [quantity, header.settledGasNumerator],
    [quantity, header.settledExcess],
  ];
}
