// SPDX-License-Identifier: Apache-2.0
import type { Channel } from '../../../api/queries.ts';
import { describeKind, type Kind } from '../kinds.ts';

/** Members of a body from what was written; a secret that was not written is none. */
export function valuesOf(kind: Kind, texts: Readonly<Record<string, string>>): Record<string, unknown> {
  return Object.fromEntries(
    describeKind(kind).fields.flatMap(({ name, isSecret, isOptional, empty, toValue = String }) => {
      const text = (texts[name] ?? '').trim();
      if (text === '' && isSecret) return [];
      return [[name, text === '' && isOptional ? empty : toValue(text)]];
    }),
  );
}

/** What the fields of a stored channel show: secrets are left empty. */
export function textsOf({ kind, config }: Pick<Channel, 'kind' | 'config'>): Record<string, string> {
  const stored = config as Readonly<Record<string, unknown>>;
  return Object.fromEntries(
    describeKind(kind).fields.map(({ name, isSecret }) => [name, isSecret ? '' : toText(stored[name])]),
  );
}

function toText(value: unknown): string {
  if (value === undefined || value === null) return '';
  if (Array.isArray(value)) return value.map(toItemText).join(', ');
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

/** Recipients of mails are stored with their consent. */
function toItemText(item: unknown): string {
  return typeof item === 'object' && item !== null && 'address' in item ? String(item.address) : String(item);
}
