// SPDX-License-Identifier: Apache-2.0
import { IncompleteBlockError, type BlockHeader, type UnknownPart } from '@chainwatch/chain-core';
import { computeBlockId, encodeHeader, numberOf, type HeaderFields } from './encode-header.ts';
import { encodeUnknownFields, isUnnamed } from './encode-unknown-fields.ts';
import { parseHex } from './parse-hex.ts';
import type { WalletBlock, WalletHeader } from './wallet-block.ts';

/** The genesis block's time and witness are written in a form of their own; its id says which chain a node serves, and is compared then. */
const GENESIS = 0;
const KNOWN: ReadonlySet<string> = new Set([
  'timestamp',
  'txTrieRoot',
  'parentHash',
  'number',
  'witness_id',
  'witness_address',
  'version',
  'accountStateRoot',
]);
const ID_PATTERN = /^[0-9a-f]{64}$/;

export interface VerifiedHeader {
  readonly header: BlockHeader;
  /** Unknown parts because of which only the node's word stands for the id; empty where the id is proved. */
  readonly unknowns: readonly UnknownPart[];
}

/**
 * A header from the wallet API, its id proved by its fields, those without a name included. With a member of
 * unknown name the id cannot be computed: then only its number and its form are checked, and the member is
 * reported.
 * @throws IncompleteBlockError
 */
export function verifyHeader({ blockID, block_header: { raw_data: raw } }: WalletBlock): VerifiedHeader {
  const number = raw.number ?? 0;
  if (!ID_PATTERN.test(blockID) || numberOf(blockID) !== number)
    throw new IncompleteBlockError(
      `header of block ${blockID}: expected the number ${numberOf(blockID)}, got ${number}`,
    );
  const unknowns = number === GENESIS ? [] : verifyId(blockID, raw);
  return {
    header: {
      number,
      hash: blockID,
      parentHash: raw.parentHash ?? '',
      timestamp: Math.floor((raw.timestamp ?? 0) / 1_000),
    },
    unknowns,
  };
}

/** The bytes that a block's id covers. @throws IncompleteBlockError */
export function encodeWalletHeader(raw: WalletHeader): Buffer {
  return encodeHeader(fieldsOf(raw));
}

function fieldsOf(raw: WalletHeader): HeaderFields {
  return {
    timestamp: toInt(raw.timestamp),
    txTrieRoot: toBytes(raw.txTrieRoot),
    parentHash: toBytes(raw.parentHash),
    number: toInt(raw.number),
    witnessId: toInt(raw.witness_id),
    witnessAddress: toBytes(raw.witness_address),
    version: toInt(raw.version),
    accountStateRoot: toBytes(raw.accountStateRoot),
    others: encodeUnknownFields(raw),
  };
}

function verifyId(blockID: string, raw: WalletHeader): UnknownPart[] {
  const got = computeBlockId(fieldsOf(raw));
  if (got === blockID) return [];
  const members = Object.entries(raw).filter(([name]) => !KNOWN.has(name) && !isUnnamed(name));
  if (members.length === 0)
    throw new IncompleteBlockError(
      `header of block ${raw.number} does not have its id: expected ${blockID}, got ${got} from its fields`,
    );
  if (!ID_PATTERN.test(raw.parentHash ?? ''))
    throw new IncompleteBlockError(
      `header of block ${raw.number}: expected a parent, got ${String(raw.parentHash).slice(0, 80)}`,
    );
  return members.map(([name, value]) => ({
    kind: `header-field:${name}`,
    expected: 'the fields of a header',
    got: `${name}: ${String(JSON.stringify(value)).slice(0, 100)}`,
  }));
}

function toInt(value: unknown): bigint {
  if (value === undefined) return 0n;
  if (typeof value === 'number' && Number.isSafeInteger(value)) return BigInt(value);
  throw new IncompleteBlockError(`header of a block: expected an integer, got ${typeof value}`);
}

function toBytes(hex: unknown): Buffer {
  return hex === undefined ? Buffer.alloc(0) : parseHex('header of a block', hex);
}
