// SPDX-License-Identifier: Apache-2.0
import type { RpcVerdict } from '@chainwatch/chain-core';

const UNSUPPORTED = 'this node does not support';
const UNSUPPORTED_HEX = Buffer.from(UNSUPPORTED).toString('hex');
/** Larger answers are not searched for errors, because nodes' errors are short. */
const ERROR_BYTES_MAX = 16_384;

/**
 * Judges the errors that java-tron sends under status 200: from its rate limiter, on both interfaces; during
 * maintenance; and from a node configured without the call, as text or as hexadecimal text.
 */
export function judgeText(body: Buffer): RpcVerdict {
  if (body.length > ERROR_BYTES_MAX) return 'answer';
  if (body.includes('"Error"')) {
    if (body.includes('lack of computing resources')) return 'busy';
    return body.includes('MaintenanceUnavailableException') ? 'unable' : 'answer';
  }
  return body.includes('CONTRACT_VALIDATE_ERROR') &&
    (body.includes(UNSUPPORTED) || body.includes(UNSUPPORTED_HEX))
    ? 'unable'
    : 'answer';
}
