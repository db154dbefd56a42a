import type { RpcVerdict } from '@chainwatch/chain-core';

const UNSUPPORTED = 'this node does not support';
const UNSUPPORTED_HEX = Buffer.from(UNSUPPORTED).toString('hex');
/** Beyond that no error is looked for: nodes' errors are short. */
const ERROR_BYTES_MAX = 16_384;

/**
 * What java-tron writes under status 200 instead of an answer: its rate limiter, on both interfaces; during maintenance;
 * and of a node that was configured without the call, as text or as hexadecimal text.
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
