/** Where a block stands in its chain. `number` is the height, on Solana the slot. */
export interface BlockRef {
  readonly number: number;
  readonly hash: string;
}

/** A header as the ingestor follows it. */
export interface BlockHeader extends BlockRef {
  readonly parentHash: string;
  /** Where the chain skips numbers (empty slots): the parent's. Absent: the number before. */
  readonly parentNumber?: number;
  /** Unix seconds. */
  readonly timestamp: number;
}

/** A whole block, proved complete against its header before anybody sees it (architecture.md, invariant 6). */
export interface Block extends BlockHeader {
  /** Where a family decodes lazily (`possibleTransactions`), each access of this decodes them all. */
  readonly transactions: readonly Transaction[];
  /** The number of `transactions`, where they are decoded lazily. */
  readonly transactionCount?: number;
  /** Bytes of memory that the block keeps alive beside its objects; absent where there are none. */
  readonly byteLength?: number;
  /**
   * Among them every transaction with a participant that `filter` has: sender, payer of the fee, sides of its transfers.
   * Decodes no others; absent where all are decoded already.
   */
  possibleTransactions?(filter: AddressFilter): readonly Transaction[];
  /** Balance changes without a transaction: validator withdrawals, miner rewards. */
  readonly balanceChanges: readonly BalanceChange[];
  /**
   * Assets whose contract emitted something other than a transfer or an approval in this block. Holders of such an
   * asset may have a new balance without appearing in any transfer (rebasing tokens), so they are read again.
   */
  readonly touchedAssets: readonly string[];
  /** What the decoder could name but does not know; absent where it knows everything (`ReadBlockOptions.takeUnknown`). */
  readonly unknowns?: readonly UnknownPart[];
}

/**
 * A part of a block that the decoder can name but does not know: a transaction type, a field, a header member, an
 * encoding, a version. What is missing or contradicts itself is none of these (architecture.md, invariant 12).
 */
export interface UnknownPart {
  /**
   * Stable over blocks, endpoints and releases: `<what>:<name>`, such as `transaction-type:0x7d`,
   * `transaction-field:1002`, `header-field:targetExponent`, `transaction-version:1`. An incident is opened for each.
   */
  readonly kind: string;
  /** Hash of the first transaction that has it; absent where the block itself has it. */
  readonly transactionHash?: string;
  /** What the decoder knows, for people. */
  readonly expected: string;
  /** What came, for people; at most some hundred characters. */
  readonly got: string;
}

/** Whether an address, in the canonical form of its family, is looked for. */
export interface AddressFilter {
  has(address: string): boolean;
  /** The same for the address that stands in `text`, where that is cheaper than cutting it out. */
  hasAt?(text: string, from: number, length: number): boolean;
}

/** Number of a block's transactions, without decoding them. */
export function countTransactions(block: Pick<Block, 'transactionCount' | 'transactions'>): number {
  return block.transactionCount ?? block.transactions.length;
}

export interface Transaction {
  readonly hash: string;
  /** Position in the block, from 0. */
  readonly index: number;
  readonly isFailed: boolean;
  /** The sender, who is told about the transaction even when it moved nothing. Absent for system transactions. */
  readonly from?: string;
  /** The callee; absent for a contract creation. */
  readonly to?: string;
  /** The created contract's address. */
  readonly createdContract?: string;
  readonly fee?: Fee;
  /** What the sender wrote into it, where the chain has a place for that: printable, at most 1,024 bytes of UTF-8. */
  readonly memo?: string | undefined;
  /** Proves `from`, where the proof of the block does not (`ChainClient.proveSenders`). */
  readonly signature?: SenderSignature;
  /** Empty when the transaction failed; ordered by `index`. On UTXO chains empty until the outpoints are looked up. */
  readonly transfers: readonly Transfer[];
  /** UTXO chains only. */
  readonly utxo?: UtxoMoves;
  /**
   * True where an unknown part of its block leaves it unproved and only one node tells of it: shown as
   * `verification: unproved`.
   */
  readonly isUnproved?: boolean;
}

/** A signature of secp256k1 from which the signer's key can be recovered. */
export interface SenderSignature {
  /** Hex of the 32 bytes that were signed. */
  readonly digest: string;
  readonly r: bigint;
  readonly s: bigint;
  /** Parity (0 or 1) of the y coordinate of the point that `r` was taken from. */
  readonly parity: number;
}

/** What a transaction of a UTXO chain spends and creates, as the block tells it: inputs carry no address and no amount. */
export interface UtxoMoves {
  readonly isCoinbase: boolean;
  /** In order; none for a coinbase. */
  readonly inputs: readonly Outpoint[];
  /** In order, every one: the position is the outpoint's `vout`. */
  readonly outputs: readonly UtxoOutput[];
}

/** One output of a transaction, wherever it stands. */
export interface Outpoint {
  /** Hash of the transaction that created it. */
  readonly txid: string;
  readonly vout: number;
}

export interface UtxoOutput {
  /** Hex of the script: what outputs are matched by (`UtxoCodec.matchKeyOf`). */
  readonly matchKey: string;
  /** Base units. */
  readonly amountRaw: bigint;
}

/** An unspent output of an address. */
export interface Coin extends Outpoint {
  readonly address: string;
  /** Base units. */
  readonly amountRaw: bigint;
  readonly isCoinbase: boolean;
  /** Height of the block that created it. */
  readonly blockNumber: number;
}

export interface Fee {
  /** CAIP-19. */
  readonly assetGid: string;
  /** Base units that the payer's balance went down by, L1 data fees of roll-ups included. */
  readonly amountRaw: bigint;
  /** The account that pays it; absent on UTXO chains, where the inputs carry it. */
  readonly payer?: string;
}

export type TransferType = 'native' | 'token' | 'internal';

export interface Transfer {
  /** Position in its transaction, from 0; stable for the same block on any node. */
  readonly index: number;
  readonly type: TransferType;
  /** CAIP-19. */
  readonly assetGid: string;
  /** Canonical address of the family; absent for a mint without a source (coinbase). */
  readonly from?: string;
  readonly to?: string;
  /** Base units. */
  readonly amountRaw: bigint;
  readonly logIndex?: number;
}

export interface BalanceChange {
  readonly address: string;
  readonly assetGid: string;
  /** Base units, signed; undefined where the chain does not tell (miner rewards on chains with own rules). */
  readonly amountRaw?: bigint;
  readonly reason: 'withdrawal' | 'reward' | 'other';
}
