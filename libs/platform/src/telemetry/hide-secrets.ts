// SPDX-License-Identifier: Apache-2.0
// cspell:ignore passw
const HIDDEN = '[hidden]';
const SECRET_NAME = /secret|passw(or)?d|authorization|credential|api[-_]?key|token$|^cookie$|^set-cookie$/i;
const URL_CREDENTIALS = /(\/\/)[^/\s"'@\\]+@/g;
const DEPTH_MAX = 5;

/** Copies the fields of a log line without what their names call secret. */
export function hideSecretFields(
  fields: Readonly<Record<string, unknown>>,
  depth = 0,
): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [name, hideValue(name, value, depth)]),
  );
}

/** Hides user and password of the URLs in a text, and whatever else is known to be secret. */
export function hideUrlCredentials(text: string, others: readonly RegExp[] = []): string {
  return others.reduce(
    (shown, secret) => shown.replace(secret, HIDDEN),
    text.replace(URL_CREDENTIALS, `$1${HIDDEN}@`),
  );
}

function hideValue(name: string, value: unknown, depth: number): unknown {
  // A number is a fencing token, not a credential.
  if (SECRET_NAME.test(name) && (typeof value === 'string' || typeof value === 'object') && value !== null)
    return HIDDEN;
  if (depth >= DEPTH_MAX) return value;
  if (Array.isArray(value)) return value.map((entry) => hideValue('', entry, depth + 1));
  if (isPlain(value)) return hideSecretFields(value, depth + 1);
  return value;
}

function isPlain(value: unknown): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}
