// SPDX-License-Identifier: Apache-2.0
/**
 * Signatures of webhook deliveries. The notifier signs with it; receivers install it to verify. No dependency besides
 * node:crypto.
 *
 * @example
 * const verdict = verifySignature({ header: req.headers['x-webhook-signature'], body: rawBody, secret });
 * if (!verdict.ok) return res.status(400).send(verdict.reason);
 */
export {
  signPayload,
  signStandardWebhook,
  type SignPayloadOptions,
  type SignStandardWebhookOptions,
} from './sign-payload.ts';
export { verifySignature } from './verify-signature.ts';
export type { SignatureRefusal, SignatureVerdict, VerifySignatureOptions } from './verify-signature.ts';
