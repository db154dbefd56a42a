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
export {
  API_KEY_TYPES,
  apiKeyLength,
  apiKeyPrefix,
  checkNamespaceLabel,
  compareHash,
  findPortalToken,
  generateApiKey,
  generatePortalToken,
  generateWebhookSecret,
  hashApiKey,
  InvalidNamespaceLabelError,
  isPortalToken,
  isWebhookSecret,
  maskApiKey,
  maskWebhookSecret,
  NAMESPACE_LABEL_PATTERN,
  parseApiKey,
  type ApiKeyRefusal,
  type ApiKeyType,
  type ParsedApiKey,
  type RandomBytes,
} from './api-key.ts';
export {
  hasPermission,
  isOperatorPermission,
  isPermission,
  PERMISSIONS,
  permissionsOf,
} from './permissions.ts';
export type { Permission, PermissionOf } from './permissions.ts';
