// SPDX-License-Identifier: Apache-2.0
/**
 * Sealed secrets in the database: envelope encryption with a key id per value. Used by every service that stores or
 * reads node URLs, webhook secrets, bot tokens or credentials. What only its owner may read is sealed with
 * the owner's own secret.
 *
 * @example
 * const sealer = createSealer(parseSecretsKeys(config.SECRETS_KEYS));
 * const sealed = sealer.seal(secret, `webhook_secret:${id}`);
 */
export {
  createOwnerSealer,
  createSealer,
  parseSecretsKeys,
  type OwnerSealer,
  type Sealer,
  type SealerKeys,
} from './create-sealer.ts';
export { SealedValueError } from './sealed-value-error.ts';
