// SPDX-License-Identifier: Apache-2.0
import {
  ChainClientError,
  IncompleteBlockError,
  type BlockHeader,
  type UnknownPart,
} from '@chainwatch/chain-core';
import { computeBlockId, numberOf } from './encode-header.ts';
import type { EvmBlock, EvmTransaction } from './evm-types.ts';
import { expectTransaction } from './expect-evm-spelling.ts';
import type { Capabilities } from './session.ts';
import type { VerifiedHeader } from './verify-header.ts';

/** The header's version, which the interface does not show, is searched for below this one; there were 34 by 2026. */
const VERSION_MAX = 128;
const HASH_PATTERN = /^0x[0-9a-f]{64}$/;
/** Members of a block in the interface, including those without a meaning on TRON. */
const KNOWN_MEMBERS: ReadonlySet<string> = new Set([
  'number',
  'hash',
  'parentHash',
  'nonce',
  'sha3Uncles',
  'logsBloom',
  'transactionsRoot',
  'stateRoot',
  'receiptsRoot',
  'miner',
  'difficulty',
  'totalDifficulty',
  'extraData',
  'size',
  'gasLimit',
  'gasUsed',
  'timestamp',
  'mixHash',
  'baseFeePerGas',
  'transactions',
  'uncles',
]);

/** An id as TRON itself writes it, without the `0x` of the interface. */
export function toHash(hash: string): string {
  return hash.slice(2);
}

/** A header from a block of the interface, for those who follow the chain. @throws ChainClientError when it is no block, IncompleteBlockError */
export function parseEvmHeader(json: unknown, capabilities: Capabilities): BlockHeader {
  return verifyEvmHeader(toEvmBlock(json), capabilities).header;
}

/**
 * A header, its id proved by its fields. With a member of unknown name, the id may cover more than the
 * interface shows. Then only its number and its form are checked, and the member is reported.
 * @throws IncompleteBlockError when the id is not that of its fields
 */
export function verifyEvmHeader(block: EvmBlock, capabilities: Capabilities): VerifiedHeader {
  const number = Number(block.number);
  if (numberOf(toHash(block.hash)) !== number)
    throw new IncompleteBlockError(
      `header of block ${block.hash}: expected the number ${numberOf(toHash(block.hash))}, got ${number}`,
    );
  const header = {
    number,
    hash: toHash(block.hash),
    parentHash: toHash(block.parentHash),
    timestamp: Number(block.timestamp),
  };
  if (number === 0 || hasId(block, capabilities)) return { header, unknowns: [] };
  const members = Object.entries(block).filter(([name]) => !KNOWN_MEMBERS.has(name));
  if (members.length === 0)
    throw new IncompleteBlockError(
      `header of block ${number} does not have its id: expected ${header.hash}, got others from its fields with the versions 0 to ${VERSION_MAX - 1}`,
    );
  return {
    header,
    unknowns: members.map(([name, value]) => ({
      kind: `header-field:${name}`,
      expected: 'the fields of a header',
      got: `${name}: ${String(JSON.stringify(value)).slice(0, 100)}`,
    })),
  };
}

/** Whether a type of Ethereum has value, sender and receiver of the same meaning. */
export function isKnownType({ type }: EvmTransaction): boolean {
  return type === undefined || type === null || ['0x0', '0x1', '0x2'].includes(type);
}

export function findUnknownTypes({ transactions }: EvmBlock): UnknownPart[] {
  return transactions.flatMap((tx) =>
    isKnownType(tx)
      ? []
      : [
          {
            kind: `transaction-type:${tx.type}`,
            transactionHash: toHash(tx.hash),
            expected: 'type 0x0, 0x1 or 0x2',
            got: String(tx.type),
          },
        ],
  );
}

export function toEvmBlock(json: unknown): EvmBlock {
  if (typeof json !== 'object' || json === null)
    throw new ChainClientError(`expected a block, got ${json === null ? 'null' : typeof json}`);
  const block = json as Partial<EvmBlock>;
  for (const field of ['hash', 'parentHash', 'transactionsRoot'] as const) {
    if (!HASH_PATTERN.test(String(block[field])))
      throw new ChainClientError(`expected a block with ${field}, got ${typeof block[field]}`);
  }
  for (const field of ['number', 'timestamp'] as const) {
    if (!/^0x[0-9a-f]+$/.test(String(block[field])))
      throw new ChainClientError(`expected a block with ${field}, got ${typeof block[field]}`);
  }
  if (!Array.isArray(block.transactions))
    throw new ChainClientError('expected a block with transactions, got none');
  for (const tx of block.transactions) if (typeof tx === 'object') expectTransaction(tx);
  return block as EvmBlock;
}

function hasId(block: EvmBlock, capabilities: Capabilities): boolean {
  const witness = bytesOf(block.miner);
  const fields = {
    timestamp: BigInt(block.timestamp) * 1_000n,
    txTrieRoot: bytesOf(block.transactionsRoot),
    parentHash: bytesOf(block.parentHash),
    number: BigInt(block.number),
    witnessId: 0n,
    witnessAddress: witness.length === 20 ? Buffer.concat([Buffer.of(0x41), witness]) : witness,
    accountStateRoot: bytesOf(block.stateRoot),
  };
  const expected = toHash(block.hash);
  const isVersion = (version: number): boolean =>
    computeBlockId({ ...fields, version: BigInt(version) }) === expected;
  if (isVersion(capabilities.headerVersion)) return true;
  for (let version = 0; version < VERSION_MAX; version++) {
    if (!isVersion(version)) continue;
    capabilities.headerVersion = version;
    return true;
  }
  return false;
}

function bytesOf(hex: string | null | undefined): Buffer {
  return Buffer.from((hex ?? '0x').slice(2), 'hex');
}
