// SPDX-License-Identifier: Apache-2.0
import type { Dial } from '@chainwatch/chain-core';
import type { HttpClient } from '@chainwatch/outbound';
import type { Attempt } from './attempt.ts';

/** An event on its way to a receiver. */
export interface OutgoingEvent {
  readonly eventId: string;
  readonly eventType: string;
  /** The exact bytes of the event. */
  readonly payload: string;
}

export interface SigningSecret {
  readonly secret: string;
  /** A previous secret signs until then. */
  readonly expiresAtMs: number | undefined;
}

/** What a kind needs to know of one channel to send to it. */
export interface ChannelTarget<Config = object, Credentials = unknown> {
  readonly config: Config;
  readonly credentials: Credentials;
  /** The current one first; two during a rotation; none where the kind does not sign. */
  readonly secrets: readonly SigningSecret[];
}

export interface SendRequest<Target = ChannelTarget> {
  readonly target: Target;
  readonly channelId: string;
  readonly attemptId: string;
  /** One, or the first of several that go in one message, whose body was rendered from all of them. */
  readonly event: OutgoingEvent;
  /** The others of these. */
  readonly others?: readonly OutgoingEvent[];
  readonly body: string;
  /** Of the body, or of each event in it. */
  readonly contentType: string;
  readonly traceparent: string | undefined;
  /** For the whole request. */
  readonly timeoutMs: number;
  /** How long the answer is awaited, once the request is on its way. Absent: as long as the request may take. */
  readonly answerMs?: number | undefined;
}

/** What went out, with credentials masked, and what came of it. */
export type SentMessage = Omit<Attempt, 'id' | 'isShared'>;

/** Sends for all channels of a kind. */
export interface Sender<Target = ChannelTarget> {
  /** Never rejects for what the receiver does: that is the message's outcome. */
  send(request: SendRequest<Target>): Promise<SentMessage>;
  close?(): Promise<void>;
}

/** What senders work with. */
export interface SenderContext {
  /** Over the guarded dial: redirects are never followed, blocked addresses never dialled. */
  readonly http: HttpClient;
  /** The guarded dial, for what is not HTTP. */
  readonly dial: Dial;
  /** Sent as User-Agent. */
  readonly userAgent: string;
}

/** How fast one channel may be written to, where that differs from the service's options. */
export interface ChannelLimits {
  /** Concurrent requests. */
  readonly concurrency?: number;
  /** Time between the starts of two requests. */
  readonly intervalMs?: number;
  /** The same over all channels of its group (`pauseGroup`). */
  readonly sharedIntervalMs?: number;
  /** From this many waiting events on, they go in one message of at most `max`, or as many as have `charsMax` characters. */
  readonly digest?: { readonly from: number; readonly max: number; readonly charsMax?: number };
}
