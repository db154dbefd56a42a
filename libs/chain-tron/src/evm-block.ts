import { ChainClientError, IncompleteBlockError, type BlockHeader } from '@chainwatch/chain-core';
import type { ContractLog } from '@chainwatch/contract-abi';
import { computeBlockId, numberOf } from './encode-header.ts';
import type { Capabilities } from './session.ts';

/** Shapes of the Ethereum-compatible interface: what it leaves out or fills with zeros is not listed. */
export interface EvmBlock {
  readonly number: string;
  /** The block's id. */
  readonly hash: string;
  readonly parentHash: string;
  readonly transactionsRoot: string;
  /** `0x` where the header has no account state root. */
  readonly stateRoot?: string | null;
  readonly miner?: string | null;
  /** Seconds; blocks stand on whole ones. */
  readonly timestamp: string;
  readonly gasUsed?: string;
  readonly transactions: readonly EvmTransaction[];
}

export interface EvmTransaction {
  readonly hash: string;
  readonly blockHash: string;
  readonly transactionIndex: string;
  readonly from: string | null;
  readonly to?: string | null;
  /** Sun for transfers and calls; for other kinds of transactions whatever is counted there. */
  readonly value?: string | null;
  /** Energy that was used; `0x0` for what runs no contract. */
  readonly gas?: string | null;
}

export interface EvmReceipt {
  readonly transactionHash: string;
  readonly transactionIndex: string;
  readonly blockHash: string;
  readonly status?: string;
  /** Energy. */
  readonly gasUsed: string;
  readonly cumulativeGasUsed: string;
  readonly contractAddress?: string | null;
  readonly logs: readonly (ContractLog & { readonly logIndex?: string })[];
}

/** The header has a version that the interface does not show; there were 34 by 2026. */
const versionMax = 128;
const hashPattern = /^0x[0-9a-f]{64}$/;

/** Without the `0x` of the interface: as TRON itself writes ids. */
export function toHash(hash: string): string {
  return hash.slice(2);
}

/** A header from a block of the interface, its id proved. @throws ChainClientError when it is no block, IncompleteBlockError when the id is not that of its fields */
export function parseEvmHeader(json: unknown, capabilities: Capabilities): BlockHeader {
  const block = toEvmBlock(json);
  const number = Number(block.number);
  if (numberOf(toHash(block.hash)) !== number) throw new IncompleteBlockError(`header of block ${block.hash}: expected the number ${numberOf(toHash(block.hash))}, got ${number}`);
  if (number > 0) verifyId(block, capabilities);
  return { number, hash: toHash(block.hash), parentHash: toHash(block.parentHash), timestamp: Number(block.timestamp) };
}

export function toEvmBlock(json: unknown): EvmBlock {
  if (typeof json !== 'object' || json === null) throw new ChainClientError(`expected a block, got ${json === null ? 'null' : typeof json}`);
  const block = json as Partial<EvmBlock>;
  for (const field of ['hash', 'parentHash', 'transactionsRoot'] as const) {
    if (!hashPattern.test(String(block[field]))) throw new ChainClientError(`expected a block with ${field}, got ${typeof block[field]}`);
  }
  for (const field of ['number', 'timestamp'] as const) {
    if (!/^0x[0-9a-f]+$/.test(String(block[field]))) throw new ChainClientError(`expected a block with ${field}, got ${typeof block[field]}`);
  }
  if (!Array.isArray(block.transactions)) throw new ChainClientError('expected a block with transactions, got none');
  return block as EvmBlock;
}

function verifyId(block: EvmBlock, capabilities: Capabilities): void {
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
  const isVersion = (version: number): boolean => computeBlockId({ ...fields, version: BigInt(version) }) === expected;
  if (isVersion(capabilities.headerVersion)) return;
  for (let version = 0; version < versionMax; version++) {
    if (!isVersion(version)) continue;
    capabilities.headerVersion = version;
    return;
  }
  throw new IncompleteBlockError(`header of block ${Number(block.number)} does not have its id: expected ${expected}, got others from its fields with the versions 0 to ${versionMax - 1}`);
}

function bytesOf(hex: string | null | undefined): Buffer {
  return Buffer.from((hex ?? '0x').slice(2), 'hex');
}
