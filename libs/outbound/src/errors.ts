// SPDX-License-Identifier: Apache-2.0
import { BaseError } from '@chainwatch/common/problem';

/** By code, for an error of which a library has kept no more than that. */
export const PUBLIC_MESSAGES: Readonly<Record<string, string>> = {
  blocked_address: 'the host resolves into a blocked address range: expected a publicly routable address',
  own_service: 'the URL leads to a server of this service: expected one of yours',
  unresolvable_host: 'the host could not be resolved',
  connect_timeout: 'the host did not accept a connection in time',
  unanswered: 'the server gave no answer',
};

/** `message` is for operators; `publicMessage` may be shown to API clients and names no resolved address. */
abstract class OutboundError extends BaseError {
  declare readonly publicMessage: string;
  constructor(message: string, publicMessage: string, cause?: unknown) {
    super(message, { publicMessage, cause });
  }
}

/** The host is, or resolves to, an address that must not be dialled. */
export class BlockedAddressError extends OutboundError {
  readonly code = 'blocked_address';
  readonly retryable = false;
  constructor(host: string, address: string, range: string) {
    super(
      `host ${host} is blocked: ${address} is in ${range}; allow the range in OUTBOUND_ALLOW if it is meant`,
      PUBLIC_MESSAGES.blocked_address!,
    );
  }
}

/** The host and port are a server of this service itself. */
export class OwnServiceError extends OutboundError {
  readonly code = 'own_service';
  readonly retryable = false;
  constructor(host: string, port: number) {
    super(`${host}:${port} is a server of this service itself`, PUBLIC_MESSAGES.own_service!);
  }
}

/** The host has no address, or the resolver did not answer. */
export class UnresolvableHostError extends OutboundError {
  readonly code = 'unresolvable_host';
  readonly retryable = true;
  constructor(host: string, cause?: unknown) {
    super(`host ${host} could not be resolved`, PUBLIC_MESSAGES.unresolvable_host!, cause);
  }
}

/** No address of the host took a connection in time. */
export class ConnectTimeoutError extends OutboundError {
  readonly code = 'connect_timeout';
  readonly retryable = true;
  constructor(host: string, port: number, timeoutMs: number) {
    super(
      `expected a connection to ${host}:${port} within ${timeoutMs} ms`,
      PUBLIC_MESSAGES.connect_timeout!,
    );
  }
}

/** Not an absolute URL, or one of a protocol that is not dialled here. */
export class OutboundUrlError extends OutboundError {
  readonly code = 'invalid_url';
  readonly retryable = false;
  constructor(publicMessage: string) {
    super(publicMessage, publicMessage);
  }
}

/** The connection has ended, without an answer that anybody may read. */
export class UnansweredError extends OutboundError {
  readonly code = 'unanswered';
  readonly retryable = true;
  constructor() {
    super('expected an answer, got the end of the connection', PUBLIC_MESSAGES.unanswered!);
  }
}
