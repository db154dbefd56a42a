// SPDX-License-Identifier: Apache-2.0
import type { AssetGid, ChainGid } from '@chainwatch/common/caip';
import { BALANCE_CHANGE_REASONS } from './block.ts';

/** `evm`, `bitcoin`, …: chain-registry knows which there are. */
export type ChainFamilyName = string;

/** One network of a family, as data: a document (`networkSchema`) that was read. */
export interface Network {
  /** CAIP-2: `<namespace>:<reference>`. */
  readonly gid: ChainGid;
  readonly namespace: string;
  readonly reference: string;
  /** Unique identifier name, also the main RPC alias: `ethereum`. */
  readonly name: string;
  readonly shortName: string;
  readonly displayName: string;
  /** Absent: the logo that the platform API has for its name. */
  readonly imageUrl?: string;
  readonly family: ChainFamilyName;
  readonly isTestnet: boolean;
  /** A developer's local chain: it starts anew with its node, so nothing about it outlives a process. */
  readonly isLocal?: boolean;
  readonly aliases: readonly string[];
  /** The coin that pays fees. Absent: the chain has none, and no fee of it is told. */
  readonly native?: NativeAsset;
  /** The namespace that token assets of this network carry: `erc20`, on BSC `bep20`. */
  readonly tokenNamespace: string;
  readonly confirmation: ConfirmationPolicy;
  /** Expected time between blocks: a first guess, which whoever sees heads corrects (`BlockTime`). */
  readonly blockTimeMs: number;
  /**
   * Milliseconds that usually pass until a later header proves a block (`settling`). Absent: its own header does.
   */
  readonly evidenceDelayMs?: number;
  /**
   * How balances change here without a transaction that tells it. Whoever credits by transactions has to take these from
   * `balance.changed`. Absent: every change is part of a transaction.
   */
  readonly untoldReasons?: readonly UntoldReason[];
  /** The contract that wraps the native coin (WETH9): `Deposit` and `Withdrawal` of it mint and burn. */
  readonly wrappedNative?: string;
  /** Old tokens whose contracts do not say what they are. */
  readonly tokens?: readonly RegisteredToken[];
  /** URL templates of a block explorer, with `{address}`, `{hash}`, `{number}`. */
  readonly explorer?: { readonly address?: string; readonly transaction?: string; readonly block?: string };
  /** What the family needs to know to prove blocks of this network complete, and other traits; typed by the family. */
  readonly traits?: Readonly<Record<string, unknown>>;
}

/** `adjustment`: in a way that only the balance itself shows, such as what a block's producer earns. */
export type UntoldReason = (typeof UNTOLD_REASONS)[number];
export const UNTOLD_REASONS = [...BALANCE_CHANGE_REASONS, 'adjustment'] as const;

export interface NativeAsset {
  /** CAIP-19, `eip155:1/slip44:60`. */
  readonly gid: AssetGid;
  readonly symbol: string;
  readonly name: string;
  readonly decimals: number;
  /** Other gids accepted on input, such as `eip155:56/slip44:714`. */
  readonly aliases?: readonly string[];
}

/** A token that is known without asking its contract. */
export interface RegisteredToken {
  readonly gid: AssetGid;
  readonly type: 'token' | 'nft';
  readonly symbol: string;
  readonly name: string;
  readonly decimals: number;
}

/** `tag`: the node's own finality, with `depth` where the node does not tell; `depth`: blocks on top, the block's own included. */
export interface ConfirmationPolicy {
  readonly type: 'tag' | 'depth';
  /** The node's block tag that counts as final. */
  readonly tag?: 'finalized' | 'safe';
  readonly depth: number;
}
