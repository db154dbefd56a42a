// SPDX-License-Identifier: Apache-2.0
import { BaseError } from '@chainwatch/common/problem';
import type { IncomingHttpHeaders } from 'node:http';
import type { Socket } from 'node:net';
import type { ReplyChannel } from './reply-channel.ts';

/** A client's request without its body. */
export interface HttpRequest {
  readonly method?: string | undefined;
  readonly url?: string | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly socket: Socket;
}

export interface ReceivedBody<Full extends string = string> {
  /** Why it could not be read. */
  readonly error: BodyError<Full> | undefined;
  readonly body: Buffer;
}

/** Handles a complete request. */
export type RequestHandler<Full extends string = string> = (
  req: HttpRequest,
  channel: ReplyChannel,
  received: ReceivedBody<Full>,
) => void;

/** An account for bytes that are held in memory. */
export interface Payer<Full extends string = string> {
  /**
   * Takes all bytes or none.
   * @returns whose limit is reached; undefined if the bytes were taken
   */
  take(bytes: number): Full | undefined;
  release(bytes: number): void;
}

/**
 * Finds who pays for a body that comes in pieces. It is asked after the head of a request, before any of the body is
 * kept.
 */
export interface BodyPayers<Full extends string = string> {
  /** Undefined if the client is not known without a look-up. */
  find(req: HttpRequest): Payer<Full> | undefined;
  /** Undefined: the client is a stranger. Never rejects. */
  ask(req: HttpRequest): Promise<Payer<Full> | undefined>;
  /** Who pays for the connection's other bytes. */
  payerOf(req: Pick<HttpRequest, 'socket'>): Payer<Full>;
}

export class BodyTooLargeError extends BaseError {
  readonly code = 'body_too_large';
  readonly retryable = false;

  constructor() {
    super('expected a body of a size that is served, got more');
  }
}

export class BodyEncodingError extends BaseError {
  readonly code = 'body_encoding';
  readonly retryable = false;

  constructor() {
    super('expected a body in the coding that its header names');
  }
}

/** There is no room for the body. */
export class BodyHeldError<Full extends string = string> extends BaseError {
  readonly code = 'body_held';
  readonly retryable = true;
  readonly full: Full;

  constructor(full: Full) {
    super(`expected room for the body, but no more may be held for this ${full}`);
    this.full = full;
  }
}

export type BodyError<Full extends string> = BodyTooLargeError | BodyEncodingError | BodyHeldError<Full>;
