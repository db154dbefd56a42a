// SPDX-License-Identifier: Apache-2.0
/**
 * What stands behind a transaction or a block (docs/rules/unknown.md). Clients treat a value that they do not know as the
 * most careful one.
 *
 * - `proved`: recomputed against the header.
 * - `agreed`: endpoints of different operators gave the same.
 * - `attested`: the chain offers no proof; the word of one node.
 * - `settling`: the evidence follows the block and is not there yet.
 * - `trusted`: the operator vouches, by a setting or by accepting an incident. No decoder gives it.
 * - `unproved`: the chain offers a proof, and there is none.
 */
export type Verification = 'proved' | 'agreed' | 'attested' | 'settling' | 'trusted' | 'unproved';

/** What a decoder says of a part of a block; absent: `proved`. */
export type DecodedVerification = Exclude<Verification, 'proved' | 'trusted'>;

/** True while nothing but the word of a node that could have been proved stands behind it: it is never confirmed as it is. */
export function lacksEvidence(verification: Verification | undefined): boolean {
  return verification === 'unproved' || verification === 'settling';
}

/** How much stands behind a verification, 0 the most. Those that `lacksEvidence` names are equal. */
export function rankOf(verification: Verification): number {
  return RANKS[verification];
}

const RANKS = { proved: 0, agreed: 1, attested: 2, trusted: 3, settling: 4, unproved: 4 } as const;

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
  /** Unix milliseconds, where the header tells more than seconds: to measure the time between blocks, not the event's time. */
  readonly timestampMs?: number;
}

/** A whole block, proved complete against its header before anybody sees it (architecture.md, invariant 6). */
export interface Block extends BlockHeader {
  readonly transactions: readonly Transaction[];
  /** Bytes of memory that the block keeps alive beside its objects; absent where there are none. */
  readonly byteLength?: number;
  /** Balance changes that no transfer of a transaction shows: validator withdrawals, rewards, atomic imports, minted deposits. */
  readonly balanceChanges: readonly BalanceChange[];
  /**
   * Assets whose contract emitted something other than a transfer or an approval in this block. Holders of such an
   * asset may have a new balance without appearing in any transfer (rebasing tokens), so they are read again.
   */
  readonly touchedAssets: readonly string[];
  /** Accounts that logs of touched assets name: their balance may have moved without a transfer. Absent: none. */
  readonly mentions?: readonly AssetMentions[];
  /** What the decoder could name but does not know; absent where it knows everything (`ReadBlockOptions.takeUnknown`). */
  readonly unknowns?: readonly UnknownPart[];
  /** What stands behind the list of its transactions and their effects; absent: proved. */
  readonly verification?: DecodedVerification;
  /**
   * What its transactions leave out, where nodes of a chain differ in what they show. Absent: nothing.
   * - `internal`: moves inside of contracts; the node may not store or trace them.
   * - `all_but_logs`: fees, and moves that are in no log; the interface does not have them.
   */
  readonly leavesOut?: 'internal' | 'all_but_logs';
  /**
   * The later header that proved it, where the evidence follows the block (`Network.evidenceDelayMs`). The caller checks
   * that this header is on its own chain.
   */
  readonly provedBy?: BlockRef;
}

export interface AssetMentions {
  /** CAIP-19 of what would be the contract's token. */
  readonly assetGid: string;
  /** Canonical, each once. */
  readonly addresses: readonly string[];
}

/**
 * A part of a block that the decoder can name but does not know: a transaction type, a field, a header member, an
 * encoding, a version. What is missing or contradicts itself is none of these (architecture.md, invariant 12).
 */
export interface UnknownPart {
  /**
   * Stable over blocks, endpoints and releases: `<what>:<name>`, such as `transaction-type:0x7d`,
   * `transaction-field:1002`, `header-field:targetExponent`, `transaction-version:2`. An incident is opened for each.
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
   * Addresses for which `transfers` may lack some, because the chain recorded less at that time: Solana before the end of
   * 2021. Absent: all transfers are known.
   */
  readonly partialFor?: readonly string[];
  /** Absent: proved. */
  readonly verification?: DecodedVerification;
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
  /** Only the node's word stands for the amount: to its payer, the transaction is `attested` at most. */
  readonly isAttested?: boolean;
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
  /** What the sender wrote to this transfer: printable text, or the word of a token's memo in hexadecimal. */
  readonly memo?: string;
  /** Only the node's word stands for it, in a transaction that is proved: to its sides, the transaction is `attested` at most. */
  readonly isAttested?: boolean;
}

export interface BalanceChange {
  readonly address: string;
  readonly assetGid: string;
  /** Base units, signed; undefined where the chain does not tell (miner rewards on chains with own rules): the balance is read. */
  readonly amountRaw?: bigint;
  readonly reason: BalanceChangeReason;
}

/**
 * Why a balance changes without a transfer that shows it.
 *
 * - `withdrawal`: a validator's coins come from the consensus layer.
 * - `reward`: of a block, or minted with it.
 * - `mint`: coins that a deposit from another chain creates for its sender.
 * - `atomic`: an import from or an export to another chain of the same network (Avalanche).
 * - `staking_reward`: of a stake or a vote.
 * - `stake_withdrawal`: a stake that is given back.
 */
export const BALANCE_CHANGE_REASONS = [
  'withdrawal',
  'reward',
  'mint',
  'atomic',
  'staking_reward',
  'stake_withdrawal',
] as const;

/** `other`: the chain does not name it. */
export type BalanceChangeReason = (typeof BALANCE_CHANGE_REASONS)[number] | 'other';
