// SPDX-License-Identifier: Apache-2.0
import type { AddressInfo } from 'node:net';
import { CLIENT, startLyingIssuer, type Lies, type LyingIssuer } from '../spec-support/lying-issuer.ts';
import { startSpecWorld, type SpecWorld } from '../spec-support/spec-world.ts';
import { Walker } from '../spec-support/walker.ts';

const ADA = { email: 'ada@example.com', role: 'owner' };

let base: SpecWorld;
beforeAll(async () => {
  base = await startSpecWorld();
  await base.management.post('/management/members').send(ADA).expect(201);
}, 60_000);
afterAll(() => base.stop());

/** Metadata are read once, so each case has an app and an issuer of its own. */
let world: SpecWorld;
let issuer: LyingIssuer;
let origin: string;
const logged: { reason?: string; err?: Error }[] = [];
beforeEach(async () => {
  issuer = await startLyingIssuer();
  const oidc = {
    issuer: issuer.url,
    clientId: CLIENT.id,
    clientSecret: CLIENT.secret,
    scopes: 'openid email',
  };
  world = await startSpecWorld({ sharing: base, app: { oidc } });
  (world.deps as { logger: unknown }).logger = { warn: (fields: object) => void logged.push(fields) };
  origin = `http://127.0.0.1:${(world.server.address() as AddressInfo).port}`;
});
afterEach(async () => {
  await world.stop();
  await issuer.stop();
});

/** Up to the answer to the person who comes back. @returns where it leads, without what varies */
async function signIn(lies: Lies, changeAnswer: (query: URLSearchParams) => void = () => undefined) {
  issuer.lies = lies;
  const walker = new Walker();
  const begun = await walker.ask(`${origin}/ui/oidc/start?to=/ui/addresses`);
  if (begun.to?.origin !== issuer.url) return { walker, to: `${begun.to?.pathname}${begun.to?.search}` };
  const asked = begun.to.searchParams;
  issuer.nonce = asked.get('nonce')!;
  const answer = new URLSearchParams({ code: 'x', state: asked.get('state')!, iss: issuer.url });
  changeAnswer(answer);
  const { to } = await walker.ask(`${asked.get('redirect_uri')}?${answer}`);
  return { walker, to: `${to?.pathname}${to?.search}` };
}

const isSignedIn = (walker: Walker): boolean => walker.cookieFor(origin).includes('chainwatch_session=');
const past = Math.floor(Date.now() / 1_000) - 600;

it('lets the honest answer in, with the proof that the same browser began', async () => {
  const { walker, to } = await signIn({});
  expect([to, isSignedIn(walker)]).toEqual(['/ui/addresses', true]);
  const [grant] = issuer.grants;
  expect(grant?.get('grant_type')).toBe('authorization_code');
  expect(grant?.get('code_verifier')).toMatch(/^[\w-]{43}$/);
});

it.each([
  ['100', 'HTTP/1.1 100 Continue\r\n\r\n'],
  ['102', 'HTTP/1.1 102 Processing\r\n\r\n'],
  ['103 with headers', 'HTTP/1.1 103 Early Hints\r\nLink: </a>; rel=preload\r\n\r\n'],
  ['several', 'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n'],
])('reads past interim responses of the issuer: %s', async (_name, interim) => {
  issuer.interim = interim;
  const { walker, to } = await signIn({});
  expect([to, isSignedIn(walker)]).toEqual(['/ui/addresses', true]);
});

it('asks an issuer that closes kept connections as a request arrives', async () => {
  issuer.closesKept = true;
  const { walker, to } = await signIn({});
  expect([to, isSignedIn(walker)]).toEqual(['/ui/addresses', true]);
});

it('takes the address of the person who signed in from the issuer itself where the token has none', async () => {
  const userinfo = { sub: '1', email: 'Ada@Example.COM', email_verified: true };
  const { walker, to } = await signIn({ claims: { email: undefined }, userinfo });
  expect([to, isSignedIn(walker)]).toEqual(['/ui/addresses', true]);
});

it.each<[string, Lies]>([
  ['for another client', { claims: { aud: 'another' } }],
  ['for others besides, without saying for whom', { claims: { aud: [CLIENT.id, 'another'] } }],
  ['for another party', { claims: { aud: [CLIENT.id, 'another'], azp: 'another' } }],
  ['of another issuer', { claims: { iss: 'https://accounts.example.com' } }],
  ['for another sign-in', { claims: { nonce: 'another' } }],
  ['for no sign-in', { claims: { nonce: undefined } }],
  ['that has expired', { claims: { iat: past - 300, exp: past } }],
  ['without an end', { claims: { exp: undefined } }],
  ['without a subject', { claims: { sub: undefined } }],
  ['that is not valid yet', { claims: { nbf: past + 7_200 } }],
  ['that nobody signed', { header: { alg: 'none' }, sign: 'nothing' }],
  ['that nobody signed, though it says so', { sign: 'nothing' }],
  ["signed with the client's secret", { header: { alg: 'HS256', kid: undefined }, sign: 'secret' }],
  ['signed with a key that the issuer does not have', { sign: 'other_key' }],
  ['with the signature of another one', { sign: 'something_else' }],
  ['under a key id that the issuer does not have', { header: { kid: 'other' } }],
  ['with a header that is critical and unknown', { header: { crit: ['x'], x: 1 } }],
  ['that is none', { token: () => ({ body: JSON.stringify({ access_token: 'a', token_type: 'Bearer' }) }) }],
  [
    'that is no token',
    {
      token: () => ({ body: JSON.stringify({ access_token: 'a', token_type: 'Bearer', id_token: 'a.b.c' }) }),
    },
  ],
  ['that is a page', { token: () => ({ type: 'text/html', body: '<p>hello</p>' }) }],
  ['that is an error', { token: () => ({ status: 400, body: JSON.stringify({ error: 'invalid_grant' }) }) }],
  [
    'of somebody else than the address',
    { claims: { email: undefined }, userinfo: { sub: '2', email: ADA.email, email_verified: true } },
  ],
])('refuses a token %s', async (_name, lies) => {
  logged.length = 0;
  const { walker, to } = await signIn(lies);
  expect([to, isSignedIn(walker)]).toEqual(['/ui/sign-in?reason=refused', false]);
  expect(logged).toMatchObject([{ reason: 'refused' }]);
});

it.each<[string, (query: URLSearchParams) => void]>([
  ['from another issuer', (query) => query.set('iss', 'https://accounts.example.com')],
  ['from nobody', (query) => query.delete('iss')],
  ['to another sign-in', (query) => query.set('state', 'another')],
  ['to no sign-in', (query) => query.delete('state')],
  ['to two', (query) => query.append('state', 'another')],
  ['without a code', (query) => query.delete('code')],
  ['with two codes', (query) => query.append('code', 'y')],
  ['with a token beside the code', (query) => query.set('id_token', 'a.b.c')],
  ['that is an error', (query) => query.set('error', 'server_error')],
])('refuses an answer %s, and spends no code', async (_name, change) => {
  const { walker, to } = await signIn({}, change);
  expect([to, isSignedIn(walker), issuer.grants]).toEqual(['/ui/sign-in?reason=refused', false, []]);
});

it.each<[string, Lies['claims']]>([
  ['is not verified', { email_verified: false }],
  ['nobody says is verified', { email_verified: undefined }],
  ['is verified in words', { email_verified: 'true' }],
  ['is none', { email: 'ada' }],
  ['is a list', { email: ['ada@example.com'] }],
  // Lower case of the sign of Kelvin is k, of the letter with a dot i.
  ['only looks like that of a member', { email: 'mar\u212A@example.com' }],
  ['has more in it', { email: 'ada@example.com\u0000' }],
  ['is two', { email: 'eve@example.org,ada@example.com' }],
])('refuses an address that %s', async (_name, claims) => {
  const { walker, to } = await signIn({ claims });
  expect([to, isSignedIn(walker)]).toEqual(['/ui/sign-in?reason=unverified_email', false]);
});

it.each<[string, Lies]>([
  ['names another issuer', { metadata: { issuer: 'https://accounts.example.com' } }],
  ['names another issuer of the same host', { metadata: { issuer: 'http://127.0.0.1/tenant' } }],
])('asks nobody for a password where the metadata %s', async (_name, lies) => {
  const { walker, to } = await signIn(lies);
  expect([to, isSignedIn(walker)]).toEqual(['/ui/sign-in?reason=issuer_away', false]);
});

it('reads no endless answer', async () => {
  const { walker, to } = await signIn({ token: () => ({ body: ' '.repeat(2_000_000) }) });
  expect([to, isSignedIn(walker)]).toEqual(['/ui/sign-in?reason=issuer_away', false]);
});

it('sends the secret in the body to an issuer that knows that alone', async () => {
  const { to } = await signIn({
    metadata: { token_endpoint_auth_methods_supported: ['client_secret_post'] },
  });
  expect([to, issuer.grants[0]?.get('client_secret')]).toEqual(['/ui/addresses', CLIENT.secret]);
});

it('tells the log why, and neither the log nor the person a token, a code, a secret or an address', async () => {
  logged.length = 0;
  await signIn({ claims: { aud: 'another' } });
  await signIn({ token: () => ({ type: 'text/html', body: 'eyJhbGciOi leaked' }) });
  await signIn({ claims: { email: 'eve@example.org' } });
  const texts = logged.map(({ err }) => String(err?.message));
  expect(texts[0]).toContain('aud');
  expect(logged.map(({ reason }) => reason)).toEqual(['refused', 'refused', 'unknown_member']);
  for (const { err } of logged) {
    expect(err?.cause).toBeUndefined();
    expect(`${err?.stack}`).not.toMatch(/eyJ|leaked|eve@|a secret of/);
  }
});
