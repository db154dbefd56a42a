// SPDX-License-Identifier: Apache-2.0
/** A number, or its text where it is above 2^53 (quoteLargeBalances). */
export type RawAmount = number | string;

/** What `getBlock` answers, as far as it is read here. */
export interface RawBlock {
  readonly blockhash: string;
  readonly previousBlockhash: string;
  readonly parentSlot: number;
  readonly blockTime: number | null;
  /** Parsed one after the other, and not kept (splitTransactions). */
  readonly transactions: Iterable<RawTransaction>;
  readonly rewards?: readonly RawReward[] | null;
}

export interface RawReward {
  readonly pubkey: string;
  readonly lamports: RawAmount;
  readonly rewardType?: string | null;
}

export interface RawTransaction {
  /** `[text, "base64"]`, or an object in the encodings `json` and `jsonParsed`, or keys alone (`transactionDetails: "accounts"`). */
  readonly transaction: readonly [string, string] | RawJsonTransaction | RawAccounts;
  readonly meta: RawMeta | null;
  /** `legacy` or a number; absent on old nodes with `transactionDetails: "accounts"`. */
  readonly version?: unknown;
}

export interface RawAccounts {
  readonly signatures: readonly string[];
  readonly accountKeys: readonly RawKey[];
}

export interface RawJsonTransaction {
  readonly signatures: readonly string[];
  readonly message: {
    readonly accountKeys: readonly RawKey[];
    readonly instructions: readonly RawInstruction[];
    /** Of version 1 alone. */
    readonly transactionConfig?: RawConfig | null;
  };
}

/** Null where the mask has no bit for the value (SIMD-0385). */
export interface RawConfig {
  /** Lamports. */
  readonly priorityFee?: RawAmount | null;
  readonly computeUnitLimit?: number | null;
  readonly loadedAccountsDataSizeLimit?: number | null;
  readonly heapSize?: number | null;
}

export type RawKey =
  | string
  | {
      readonly pubkey: string;
      readonly source?: string;
      readonly signer?: boolean;
      /** False for a program that an instruction names. */
      readonly writable?: boolean;
    };

/** `json`: indexes; `jsonParsed`: keys, and `parsed` in place of data where the node has a parser. */
export interface RawInstruction {
  readonly programIdIndex?: number;
  readonly programId?: string;
  readonly accounts?: readonly (number | string)[];
  readonly data?: string;
  readonly parsed?: unknown;
}

export interface RawMeta {
  readonly err: unknown;
  readonly fee: number;
  readonly preBalances: readonly RawAmount[];
  readonly postBalances: readonly RawAmount[];
  readonly preTokenBalances?: readonly RawTokenBalance[] | null;
  readonly postTokenBalances?: readonly RawTokenBalance[] | null;
  readonly innerInstructions?: readonly { readonly instructions: readonly RawInstruction[] }[] | null;
  readonly loadedAddresses?: {
    readonly writable: readonly string[];
    readonly readonly: readonly string[];
  } | null;
  readonly rewards?: readonly RawReward[] | null;
}

export interface RawTokenBalance {
  readonly accountIndex: number;
  readonly mint: string;
  /** Absent in blocks of before the end of 2021. */
  readonly owner?: string;
  readonly uiTokenAmount: { readonly amount: string };
}
