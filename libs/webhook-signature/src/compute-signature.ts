import { createHmac } from 'node:crypto';

/**
 * HMAC-SHA256 over `<t>.<body bytes>`, keyed with the whole secret string, prefix included, as UTF-8. `t` is the text
 * that stands in the header.
 */
export function computeSignature(secret: string, t: string, body: Uint8Array | string): Buffer {
  return createHmac('sha256', Buffer.from(secret, 'utf8')).update(`${t}.`, 'utf8').update(body).digest();
}
