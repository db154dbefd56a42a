// SPDX-License-Identifier: Apache-2.0
import type { Block, BlockRef, UnknownPart } from '@chainwatch/chain-core';
import type { UnknownContent } from '../unknown-parts.ts';
import type { SettlementHeader } from './settlement-header.ts';

/** A block that was read: what its receipts come to, and what it is decoded from. The book owns it. */
export interface KeptBlock<Read = unknown> {
  readonly ref: BlockRef;
  readonly header: SettlementHeader;
  /** Encodings of its receipts, in order. */
  readonly encodings: readonly Uint8Array[];
  /** Over its own logs. */
  readonly bloom: string;
  /** What its receipts have that may be encoded in a way that is not known. */
  readonly strangeReceipts: readonly UnknownPart[];
  /** What it has itself that is not known. */
  readonly unknown: UnknownContent | undefined;
  /** Estimated, in memory. */
  readonly byteLength: number;
  /** What it is decoded from: gone then. */
  read?: Read | undefined;
  block?: Block | undefined;
  /** The header whose root its receipts were found under. */
  provedBy?: BlockRef | undefined;
}
