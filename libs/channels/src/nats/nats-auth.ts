// SPDX-License-Identifier: Apache-2.0
import { z } from 'zod';

const NKEY_SEED = /^SU[A-Z2-7]{56}$/;
const CREDS = /-----BEGIN NATS USER JWT-----[\s\S]+-----BEGIN USER NKEY SEED-----/;
/** What stands in a shown URL for credentials. */
const MASK = '***';

const text = z.string().min(1).max(1_024);

/** Write-only: reads show the type alone. May only be widened, because it reads the sealed credentials of every release. */
export const natsAuthSchema = z
  .discriminatedUnion('type', [
    z
      .strictObject({ type: z.literal('none').meta({ description: 'No credentials.' }) })
      .meta({ id: 'NatsAuthNone' }),
    z
      .strictObject({
        type: z.literal('user').meta({ description: 'A user and its password.' }),
        username: text.meta({ description: 'The user.', examples: ['chainwatch'] }),
        password: text.meta({ description: 'Its password.', examples: ['correct horse'] }),
      })
      .meta({ id: 'NatsAuthUser' }),
    z
      .strictObject({
        type: z.literal('token').meta({ description: 'A token.' }),
        token: text.meta({ description: 'The token.', examples: ['s3cr3t'] }),
      })
      .meta({ id: 'NatsAuthToken' }),
    z
      .strictObject({
        type: z.literal('nkey').meta({ description: 'An nkey.' }),
        seed: z
          .string()
          .regex(NKEY_SEED, 'expected the seed of a user nkey, SU…')
          .meta({
            description: 'Its seed.',
            examples: ['SUACSSL3UAHUDXKFSNVUZRF5UHPMWZ6BFDTJ7M6USDXIEDNPPQYYYCU3VY'],
          }),
      })
      .meta({ id: 'NatsAuthNkey' }),
    z
      .strictObject({
        type: z.literal('creds').meta({ description: 'A user with a JWT.' }),
        creds: z
          .string()
          .max(16_384)
          .regex(CREDS, 'expected the text of a .creds file')
          .meta({
            description: 'The text of its .creds file.',
            examples: ['-----BEGIN NATS USER JWT-----\n…\n-----BEGIN USER NKEY SEED-----\n…'],
          }),
      })
      .meta({ id: 'NatsAuthCreds' }),
  ])
  .meta({ id: 'NatsAuth' });
export type NatsAuth = z.infer<typeof natsAuthSchema>;

/** Credentials in the userinfo of a URL: `user:password`, a token, an nkey seed or a .creds file; undefined when unreadable. */
export function readUserInfo(url: string): NatsAuth | undefined {
  const { username, password } = new URL(url);
  if (username === '' && password === '') return { type: 'none' };
  const [first, second] = [tryDecode(username), tryDecode(password)];
  if (first === undefined || second === undefined || first === MASK) return undefined;
  if (second !== '') return toAuth({ type: 'user', username: first, password: second });
  if (NKEY_SEED.test(first)) return { type: 'nkey', seed: first };
  return toAuth(CREDS.test(first) ? { type: 'creds', creds: first } : { type: 'token', token: first });
}

/** The URL as it may be shown. */
export function maskUserInfo(url: string): string {
  const parsed = new URL(url);
  if (parsed.username !== '') parsed.username = MASK;
  if (parsed.password !== '') parsed.password = MASK;
  return parsed.href;
}

export function hasUserInfo(url: string): boolean {
  const { username, password } = new URL(url);
  return username !== '' || password !== '';
}

/** The URL without credentials, not even masked ones. */
export function withoutUserInfo(url: string): string {
  const parsed = new URL(url);
  parsed.username = '';
  parsed.password = '';
  return parsed.href;
}

function toAuth(auth: NatsAuth): NatsAuth | undefined {
  return natsAuthSchema.safeParse(auth).success ? auth : undefined;
}

function tryDecode(part: string): string | undefined {
  try {
    return decodeURIComponent(part);
  } catch {
    return undefined;
  }
}
