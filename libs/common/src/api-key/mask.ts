// SPDX-License-Identifier: Apache-2.0
const SHOWN_LENGTH = 4;
const UNKNOWN = '****';

/** `svc_api_****bPlI`: enough to tell keys apart in a list or a log. What is not a key's form shows nothing of itself. */
export function maskApiKey(key: unknown): string {
  return mask(key, /^([a-z][a-z0-9]{1,9}_(?:api|rpc|mgt)_)[0-9A-Za-z]{30}$/);
}

/** `svc_whsec_****QRST` */
export function maskWebhookSecret(secret: unknown): string {
  return mask(secret, /^([a-z][a-z0-9]{1,9}_whsec_)[0-9A-Za-z]{30}$/);
}

function mask(value: unknown, pattern: RegExp): string {
  const prefix = typeof value === 'string' ? pattern.exec(value)?.[1] : undefined;
  return prefix === undefined ? UNKNOWN : `${prefix}${UNKNOWN}${String(value).slice(-SHOWN_LENGTH)}`;
}
