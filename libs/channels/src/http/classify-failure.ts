// SPDX-License-Identifier: Apache-2.0
import type { ErrorCode } from '../attempt.ts';

const CODES: Readonly<Record<string, ErrorCode>> = {
  connect_timeout: 'timeout',
  ETIMEDOUT: 'timeout',
  blocked_address: 'blocked_address',
  own_service: 'blocked_address',
  unresolvable_host: 'dns_error',
  ENOTFOUND: 'dns_error',
  EAI_AGAIN: 'dns_error',
  ECONNREFUSED: 'connection_refused',
  ECONNRESET: 'connection_reset',
  EPIPE: 'connection_reset',
  EHOSTUNREACH: 'unreachable',
  ENETUNREACH: 'unreachable',
  invalid_answer: 'invalid_response',
  unanswered: 'invalid_response',
  EPROTO: 'tls_error',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'tls_error',
  SELF_SIGNED_CERT_IN_CHAIN: 'tls_error',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'tls_error',
  UNABLE_TO_GET_ISSUER_CERT: 'tls_error',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'tls_error',
  invalid_url: 'invalid_request',
  ERR_INVALID_URL: 'invalid_request',
  ERR_INVALID_CHAR: 'invalid_request',
  ERR_INVALID_HTTP_TOKEN: 'invalid_request',
  ERR_UNESCAPED_CHARACTERS: 'invalid_request',
  EMFILE: 'internal_error',
  ENFILE: 'internal_error',
  ENOBUFS: 'internal_error',
  ENOMEM: 'internal_error',
  EADDRNOTAVAIL: 'internal_error',
};

/** What a rejected request tells the channel's owner. */
export function classifyFailure(error: unknown): ErrorCode {
  const code = typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : '';
  // A dial may have tried several addresses, and a library may have wrapped its error.
  const inner =
    typeof error === 'object' && error !== null && 'cause' in error && error.cause !== error
      ? error.cause
      : undefined;
  const known = CODES[code];
  if (known === undefined && inner !== undefined && inner !== null) return classifyFailure(inner);
  if (known !== undefined) return known;
  if (/^(ERR_TLS|ERR_SSL|CERT_)/.test(code)) return 'tls_error';
  if (code.startsWith('HPE_')) return 'invalid_response';
  return 'request_failed';
}
