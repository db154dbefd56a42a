// SPDX-License-Identifier: Apache-2.0
import type { z } from 'zod';

/** A monitored address of an event, as filters see it. */
export interface AddressFacts {
  readonly id: string;
  /** Undefined: the event does not carry them. */
  readonly groups: readonly string[] | undefined;
  readonly metadata: Readonly<Record<string, unknown>> | undefined;
}

/** What filters of channels look at. */
export interface EventFacts {
  readonly chainGid: string;
  /** Of the project's record of the transaction that it is about. */
  readonly transactionId?: string;
  readonly direction: string | undefined;
  readonly addresses: readonly AddressFacts[];
  /** What moved: asset and amount in whole units, undefined while the token's decimals are unknown; null: no amount is told. */
  readonly moves: readonly { readonly assetGid: string; readonly amount: string | null | undefined }[];
  /** What stands behind it; null and undefined: the event does not say. */
  readonly verification?: string | null;
  /** What the sender wrote: the whole, its lines, and those of transfers; undefined: the event does not say. */
  readonly memos?: readonly string[] | undefined;
  /** Why a balance changed; undefined: the event does not say. */
  readonly reasons?: readonly string[] | undefined;
  /** Whether there are more than the event carries. */
  readonly leavesOut?: { readonly addresses: boolean; readonly moves: boolean };
}

/** What an event is about: messages to people are written by it. */
export type EventMatter = 'payment' | 'balance' | 'channel';

/** What a made-up event needs of its maker. */
export interface ExampleInput {
  /** RFC 3339. */
  readonly at: string;
  readonly id: () => string;
}

/** Channel kinds choose by it what they get by default: what a payment is, or also every balance that moves. */
export type DefaultSelection = 'payments' | 'movements';

/** What a group of event types has in common: the shape of `data` and how to read it. */
export interface EventSubjectMatter<D extends z.ZodType> {
  readonly matter: EventMatter;
  readonly data: D;
  /** Undefined: it is of no chain, and filters do not apply. */
  facts(data: z.output<D>): EventFacts | undefined;
}

/** A row of EVENTS. */
export interface EventDefinition<D extends z.ZodType, Subject extends string> extends EventSubjectMatter<D> {
  /** Of the bus; undefined: found in the table of events alone. */
  readonly subject: Subject | undefined;
  /** A name for people. */
  readonly title: string;
  /** One line of the API's documents. */
  readonly summary: string;
  /** The sentence at its schema. */
  readonly description: string;
  readonly defaultFor: readonly DefaultSelection[];
  /** The `data` of a test message. */
  example(input: ExampleInput): z.output<D>;
}
