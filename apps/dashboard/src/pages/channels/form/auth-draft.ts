// SPDX-License-Identifier: Apache-2.0
import { toWords, type Kind } from '../kinds.ts';

interface AuthField {
  readonly name: string;
  readonly label: string;
  readonly placeholder?: string;
  readonly isSecret: boolean;
  readonly isLong?: boolean;
}

interface AuthText {
  readonly title: string;
  readonly fields: readonly AuthField[];
}

/** Credentials of a channel: the type that was chosen, and what was written for it. */
export interface AuthDraft {
  readonly type: string;
  readonly values: Readonly<Record<string, string>>;
}

/** The type that leaves what is stored as it is. */
export const KEEP = 'keep';
const NONE = 'none';

const secret = (name: string, label: string): AuthField => ({ name, label, isSecret: true });
const user = (title: string): AuthText => ({
  title,
  fields: [{ name: 'username', label: 'User', isSecret: false }, secret('password', 'Password')],
});
const HTTP: Readonly<Record<string, AuthText>> = {
  basic: user('User and password'),
  bearer: { title: 'Bearer token', fields: [secret('token', 'Token')] },
  header: {
    title: 'Header',
    fields: [
      { name: 'name', label: 'Header', placeholder: 'X-Hook-Token', isSecret: false },
      secret('value', 'Value'),
    ],
  },
};
const USER = { user: user('User and password') };

/** Types of credentials by kind of channel; other kinds have none of their own. */
const AUTHS: Readonly<Record<string, Readonly<Record<string, AuthText>>>> = {
  webhook: HTTP,
  http_batch: HTTP,
  nats: {
    ...USER,
    token: { title: 'Token', fields: [secret('token', 'Token')] },
    nkey: { title: 'NKey', fields: [secret('seed', 'Seed')] },
    creds: {
      title: 'Credentials file',
      fields: [{ name: 'creds', label: 'Text of the .creds file', isSecret: true, isLong: true }],
    },
  },
  kafka: {
    'scram-sha-512': user('SCRAM-SHA-512'),
    'scram-sha-256': user('SCRAM-SHA-256'),
    plain: user('PLAIN'),
  },
  rabbitmq: USER,
  redis_stream: USER,
};

export function takesAuth(kind: Kind): boolean {
  return Object.hasOwn(AUTHS, kind);
}

/** Types to choose from: those of the kind, none, and what is stored. */
export function listAuthTypes(kind: Kind, stored: string | undefined): [type: string, title: string][] {
  const own = AUTHS[kind] ?? {};
  const titleOf = (type: string): string => own[type]?.title ?? toWords(type);
  return [
    ...(stored === undefined || stored === NONE
      ? []
      : [[KEEP, `Stored: ${titleOf(stored)}`] as [string, string]]),
    [NONE, 'None'],
    ...Object.entries(own).map(([type, { title }]): [string, string] => [type, title]),
  ];
}

export function fieldsOf(kind: Kind, type: string): readonly AuthField[] {
  return AUTHS[kind]?.[type]?.fields ?? [];
}

/** @param stored type of the credentials of a channel; undefined: it is a new one */
export function draftAuth(stored: string | undefined): AuthDraft {
  return { type: stored === undefined || stored === NONE ? NONE : KEEP, values: {} };
}

/** The member of a body; absent where what is stored stays. */
export function authOf(kind: Kind, { type, values }: AuthDraft): { readonly auth?: object } {
  if (type === KEEP || !takesAuth(kind)) return {};
  const written = fieldsOf(kind, type).map(({ name }) => [name, values[name] ?? ''] as const);
  return { auth: { type, ...Object.fromEntries(written) } };
}
