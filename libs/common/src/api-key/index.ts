// SPDX-License-Identifier: Apache-2.0
/**
 * API keys, webhook secrets and permissions: their form, checksum, hash and mask. Pure: randomness comes in, nothing is
 * looked up. Used by the gateway, the RPC proxy, the bootstrap command and the notifier.
 *
 * @example
 * const key = generateApiKey({ label: 'svc', type: 'api', randomBytes });
 * const parsed = parseApiKey(req.get('x-api-key'), 'svc');
 * if (parsed.ok) await findKey(hashApiKey(parsed.key));
 */
export { API_KEY_TYPES, apiKeyLength, apiKeyPrefix, generateApiKey } from './api-key.ts';
export { parseApiKey } from './parse-api-key.ts';
export { findPortalToken, generatePortalToken, isPortalToken } from './portal-token.ts';
export { compareHash, hashApiKey } from './hash-api-key.ts';
export { generateWebhookSecret, isWebhookSecret } from './webhook-secret.ts';
export { maskApiKey, maskWebhookSecret } from './mask.ts';
export {
  checkNamespaceLabel,
  InvalidNamespaceLabelError,
  NAMESPACE_LABEL_PATTERN,
} from './namespace-label.ts';
export {
  hasPermission,
  isOperatorPermission,
  isPermission,
  PERMISSIONS,
  permissionsOf,
} from './permissions.ts';
export type { ApiKeyType } from './api-key.ts';
export type { ApiKeyRefusal, ParsedApiKey } from './parse-api-key.ts';
export type { RandomBytes } from './base62.ts';
export type { Permission, PermissionOf } from './permissions.ts';
