import { IncompleteBlockError, type BlockHeader } from '@chainwatch/chain-core';
import { computeBlockId, numberOf } from './encode-header.ts';
import type { WalletBlock } from './wallet-block.ts';

/** The genesis block's time and witness are written in a form of their own; its id says which chain a node serves, and is compared then. */
const GENESIS = 0;

/** A header from the wallet API, its id proved. @throws IncompleteBlockError */
export function verifyHeader({ blockID, block_header: { raw_data: raw } }: WalletBlock): BlockHeader {
  const number = raw.number ?? 0;
  if (numberOf(blockID) !== number) throw new IncompleteBlockError(`header of block ${blockID}: expected the number ${numberOf(blockID)}, got ${number}`);
  if (number !== GENESIS) {
    const got = computeBlockId({
      timestamp: toInt(raw.timestamp),
      txTrieRoot: toBytes(raw.txTrieRoot),
      parentHash: toBytes(raw.parentHash),
      number: toInt(number),
      witnessId: toInt(raw.witness_id),
      witnessAddress: toBytes(raw.witness_address),
      version: toInt(raw.version),
      accountStateRoot: toBytes(raw.accountStateRoot),
    });
    if (got !== blockID) throw new IncompleteBlockError(`header of block ${number} does not have its id: expected ${blockID}, got ${got} from its fields`);
  }
  return { number, hash: blockID, parentHash: raw.parentHash ?? '', timestamp: Math.floor((raw.timestamp ?? 0) / 1_000) };
}

function toInt(value: unknown): bigint {
  if (value === undefined) return 0n;
  if (typeof value === 'number' && Number.isSafeInteger(value)) return BigInt(value);
  throw new IncompleteBlockError(`header of a block: expected an integer, got ${typeof value}`);
}

function toBytes(hex: unknown): Buffer {
  if (hex === undefined) return Buffer.alloc(0);
  if (typeof hex !== 'string' || !/^(?:[0-9a-f]{2})*$/.test(hex)) throw new IncompleteBlockError('header of a block: expected hexadecimal digits, got something else');
  return Buffer.from(hex, 'hex');
}
