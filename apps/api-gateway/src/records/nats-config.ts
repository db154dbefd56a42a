import { z } from 'zod';
import { selectionInput, selectionSchema } from './event-selection.ts';

// NATS subjects: tokens with dots between. Wildcards are for subscribers, `$` is the server's own (decisions.md §4).
const SUBJECT = /^(?!\$)[^\s.*>\p{C}]+(\.[^\s.*>\p{C}]+)*$/u;
const NKEY_SEED = /^SU[A-Z2-7]{56}$/;
const CREDS = /-----BEGIN NATS USER JWT-----[\s\S]+-----BEGIN USER NKEY SEED-----/;
/** What stands in a shown URL for credentials. */
const MASK = '***';

const text = z.string().min(1).max(1_024);

/** Write-only: reads show the type alone. */
export const natsAuthSchema = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('none') }),
  z.strictObject({ type: z.literal('user'), username: text, password: text }),
  z.strictObject({ type: z.literal('token'), token: text }),
  z.strictObject({ type: z.literal('nkey'), seed: z.string().regex(NKEY_SEED, 'expected the seed of a user nkey, SU…') }),
  z.strictObject({ type: z.literal('creds'), creds: z.string().max(16_384).regex(CREDS, 'expected the text of a .creds file') }),
]);
export type NatsAuth = z.infer<typeof natsAuthSchema>;

const natsUrl = z
  .string()
  .max(16_384)
  .refine(isServerUrl, { error: 'expected a URL of one server, nats://host:4222 or tls://host:4222' })
  .refine((url) => !isServerUrl(url) || readUserInfo(url) !== undefined, { error: 'expected user:password, a token, an nkey seed or a .creds file before the @' });

export const natsInput = {
  url: natsUrl.meta({ format: 'uri' }),
  subject: z.string().min(1).max(255).regex(SUBJECT, 'expected a subject without wildcards, spaces and a leading $'),
  auth: natsAuthSchema.optional(),
  ...selectionInput,
};

/** What is stored and shown; the credentials are sealed beside it. */
export const natsConfigSchema = z.object({
  url: z.string(),
  subject: z.string(),
  auth: z.object({ type: z.enum(['none', 'user', 'token', 'nkey', 'creds']) }),
  ...selectionSchema,
});
export type NatsConfig = z.infer<typeof natsConfigSchema>;

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

function toAuth(auth: NatsAuth): NatsAuth | undefined {
  return natsAuthSchema.safeParse(auth).success ? auth : undefined;
}

function isServerUrl(value: string): boolean {
  const url = URL.parse(value);
  return url !== null && (url.protocol === 'nats:' || url.protocol === 'tls:') && url.hostname !== '' && ['', '/'].includes(url.pathname) && url.search === '' && url.hash === '';
}

function tryDecode(part: string): string | undefined {
  try {
    return decodeURIComponent(part);
  } catch {
    return undefined;
  }
}
