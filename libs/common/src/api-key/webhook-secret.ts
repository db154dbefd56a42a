// SPDX-License-Identifier: Apache-2.0
import { randomBase62, type RandomBytes } from './base62.ts';
import { checkNamespaceLabel } from './namespace-label.ts';

const WEBHOOK_SECRET_RANDOM_LENGTH = 30;

/** A new signing secret, `<label>_whsec_<30 random>`. The whole string, prefix included, keys the HMAC (decisions.md §1.13). */
export function generateWebhookSecret(options: { label: string; randomBytes: RandomBytes }): string {
  return webhookSecretPrefix(options.label) + randomBase62(WEBHOOK_SECRET_RANDOM_LENGTH, options.randomBytes);
}

/** Whether a value has a secret's form under `label`. Never throws on a stranger's value. */
export function isWebhookSecret(value: unknown, label: string): value is string {
  const prefix = webhookSecretPrefix(label);
  return (
    typeof value === 'string' &&
    value.startsWith(prefix) &&
    /^[0-9A-Za-z]{30}$/.test(value.slice(prefix.length))
  );
}

/** @throws InvalidNamespaceLabelError */
function webhookSecretPrefix(label: string): string {
  checkNamespaceLabel(label);
  return `${label}_whsec_`;
}
