// SPDX-License-Identifier: Apache-2.0
import { CHANNEL_KINDS, PAYMENT_EVENTS } from '@chainwatch/sdk/catalogue';
import type { Channel } from '../../../api/queries.ts';
import { type Kind, describeKind } from '../kinds.ts';
import { ORDERINGS, toOrdering, type OrderingChoice } from '../ordering.ts';
import { authOf, draftAuth, type AuthDraft } from './auth-draft.ts';
import { draftFilters, filtersOf, NO_FILTERS, readPairs, type FilterDraft } from './filter-draft.ts';

/** A channel as the form holds it. */
export interface ChannelDraft {
  readonly name: string;
  /** Of the fields of its kind. */
  readonly texts: Readonly<Record<string, string>>;
  readonly auth: AuthDraft;
  readonly events: readonly string[];
  readonly filters: FilterDraft;
  readonly ordering: OrderingChoice;
  readonly isSandbox: boolean;
  readonly takesHistory: boolean;
  /** `Name: value`, one a line. */
  readonly headers: string;
  readonly isStandard: boolean;
  readonly perSecond: string;
  readonly proof: string;
  readonly format: string;
  /** One a line; empty: everything. */
  readonly fields: string;
}

type Members = Readonly<Record<string, unknown>>;

export function newDraft(kind: Kind): ChannelDraft {
  return {
    name: '',
    texts: {},
    auth: draftAuth(undefined),
    events: CHANNEL_KINDS[kind]?.default_events ?? PAYMENT_EVENTS,
    filters: NO_FILTERS,
    ordering: 'best_effort',
    isSandbox: false,
    takesHistory: false,
    headers: '',
    isStandard: false,
    perSecond: '',
    proof: 'none',
    format: 'native',
    fields: '',
  };
}

export function draftOf({ kind, name, config }: Pick<Channel, 'kind' | 'name' | 'config'>): ChannelDraft {
  const none = newDraft(kind);
  const stored = config as Members & Channel['config'];
  const headers = (stored.headers ?? {}) as Readonly<Record<string, string>>;
  return {
    name,
    texts: textsOf({ kind, config }),
    auth: draftAuth(storedAuth(config)),
    events: stored.event_types,
    filters: draftFilters(stored.filters),
    ordering: toOrdering(stored),
    isSandbox: stored.sandbox === true,
    takesHistory: stored.include_historical === true,
    headers: Object.entries(headers)
      .map(([header, value]) => `${header}: ${value}`)
      .join('\n'),
    isStandard: (stored as Members).standard_webhooks === true,
    perSecond: String((stored as Members).throttle_per_second ?? ''),
    proof: String((stored as Members).include_proof ?? none.proof),
    format: String((stored as Members).format ?? none.format),
    fields: (((stored as Members).fields ?? []) as readonly string[]).join('\n'),
  };
}

/** The type of the credentials that are stored, where the kind has types. */
export function storedAuth(config: object): string | undefined {
  const { auth } = config as { readonly auth?: { readonly type?: string } };
  return auth?.type;
}

/** Every member of a body that the kind takes. */
function membersOf(kind: Kind, draft: ChannelDraft): Members {
  const fields = draft.fields.split(/[\s,]+/).filter((path) => path !== '');
  const common = {
    ...authOf(kind, draft.auth),
    event_types: draft.events,
    filters: filtersOf(draft.filters),
    ...ORDERINGS[draft.ordering].members,
    sandbox: draft.isSandbox,
    include_historical: draft.takesHistory,
    headers: readPairs(draft.headers, ':'),
    standard_webhooks: draft.isStandard,
    throttle_per_second: draft.perSecond.trim() === '' ? null : Number(draft.perSecond),
    include_proof: draft.proof,
    format: draft.format,
    fields: fields.length === 0 ? null : fields,
  };
  return {
    name: draft.name.trim(),
    ...Object.fromEntries(Object.entries(common).filter(([name]) => takes(kind, name))),
    ...valuesOf(kind, draft.texts),
  };
}

/** Whether channels of the kind have this member. */
export function takes(kind: Kind, member: string): boolean {
  const members: readonly string[] = CHANNEL_KINDS[kind]?.members ?? [];
  return members.includes(member);
}

/** What the form changes: the members of a body that are not what they were. */
export function changesOf(kind: Kind, draft: ChannelDraft, before: ChannelDraft): Members {
  const old = membersOf(kind, before);
  return Object.fromEntries(
    Object.entries(membersOf(kind, draft)).filter(
      ([name, value]) => !Object.hasOwn(old, name) || JSON.stringify(value) !== JSON.stringify(old[name]),
    ),
  );
}

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
