// SPDX-License-Identifier: Apache-2.0
import type { AddressInfo } from 'node:net';
import { startIssuer, type Accounts, type IssuerHandle } from '@chainwatch/testing';
import { startSpecWorld, type SpecWorld } from '../spec-support/spec-world.ts';
import { Walker } from '../spec-support/walker.ts';

const CLIENT = { id: 'dashboard', secret: 'a secret of the client' };
const accounts: Accounts = new Map([
  ['ada', { email: 'Ada@Example.com', email_verified: true }],
  ['bob', { email: 'bob@example.com', email_verified: true }],
  ['eve', { email: 'ada@example.com', email_verified: false }],
  ['nobody', { email: 'nobody@example.com', email_verified: true }],
]);

let world: SpecWorld;
let issuer: IssuerHandle;
let origin: string;
beforeAll(async () => {
  const plain = await startSpecWorld();
  issuer = await startIssuer({ client: CLIENT, accounts });
  world = plain;
  ({ world, origin } = await withIssuer(issuer.url, plain));
  await issuer.redirectTo(`${origin}/ui/oidc/callback`);
  for (const [email, role] of [
    ['ada@example.com', 'developer'],
    ['bob@example.com', 'owner'],
  ])
    await world.management.post('/management/members').send({ email, role }).expect(201);
  await world.otherManagement
    .post('/management/members')
    .send({ email: 'bob@example.com', role: 'viewer' })
    .expect(201);
  stopAll = async () => {
    await world.stop();
    await plain.stop();
    await issuer.stop();
  };
}, 60_000);
let stopAll: () => Promise<void>;
afterAll(() => stopAll());

async function withIssuer(url: string, sharing: SpecWorld, more: Parameters<typeof startSpecWorld>[0] = {}) {
  const oidc = { issuer: url, clientId: CLIENT.id, clientSecret: CLIENT.secret, scopes: 'openid email' };
  const made = await startSpecWorld({ sharing, ...more, app: { oidc, ...more.app } });
  return { world: made, origin: `http://127.0.0.1:${(made.server.address() as AddressInfo).port}` };
}

/** Through the page of the issuer. @param account undefined: the person says no there */
async function signIn(
  walker: Walker,
  { account, to = '/ui/addresses', at = origin }: { account?: string; to?: string; at?: string },
): Promise<URL> {
  const isHome = (url: URL): boolean => url.origin === at && url.pathname !== '/ui/oidc/callback';
  const asked = await walker.go(`${at}/ui/oidc/start?${new URLSearchParams({ to })}`, { before: isHome });
  expect(asked.text).toContain('Account');
  const form: Record<string, string> = account === undefined ? { no: '1' } : { account };
  const { to: home } = await walker.go(asked.url, { form, before: isHome });
  return home!;
}

const readSession = (walker: Walker, headers: Readonly<Record<string, string>> = {}) =>
  world
    .send('get', '/v1/session')
    .set({ 'Sec-Fetch-Site': 'same-origin', Cookie: walker.cookieFor(origin), ...headers });

describe('the way to the issuer', () => {
  it('asks for a code with state, nonce and S256, which the browser keeps sealed for ten minutes', async () => {
    const walker = new Walker();
    const { status, to } = await walker.ask(`${origin}/ui/oidc/start`);
    expect([status, to?.origin]).toEqual([303, issuer.url]);
    const asked = Object.fromEntries(to!.searchParams);
    expect(asked).toMatchObject({
      client_id: CLIENT.id,
      response_type: 'code',
      scope: 'openid email',
      redirect_uri: `${origin}/ui/oidc/callback`,
      code_challenge_method: 'S256',
      code_challenge: expect.stringMatching(/^[\w-]{43}$/),
      state: expect.stringMatching(/^[\w-]{43}$/),
      nonce: expect.stringMatching(/^[\w-]{43}$/),
    });
    expect(walker.cookiesSet).toEqual([
      expect.stringMatching(
        /^chainwatch_sign_in=v1\.spec\.[\w.-]+; Max-Age=600; Path=\/ui\/oidc; Expires=[^;]+; HttpOnly; SameSite=Lax$/,
      ),
    ]);
    for (const secret of [asked.state, asked.nonce]) expect(walker.cookiesSet[0]).not.toContain(secret);
    const again = await new Walker().ask(`${origin}/ui/oidc/start`);
    for (const name of ['state', 'nonce', 'code_challenge'])
      expect(again.to?.searchParams.get(name)).not.toBe(asked[name]);
  });

  it('over TLS keeps that from neighboring hosts, and comes back by TLS', async () => {
    const { world: behind, origin: at } = await withIssuer(issuer.url, world, { app: { trustedProxies: 1 } });
    const walker = new Walker();
    const { to } = await walker.ask(`${at}/ui/oidc/start`, {
      headers: { 'X-Forwarded-Proto': 'https', 'X-Forwarded-Host': 'watch.example.com' },
    });
    expect(walker.cookiesSet[0]).toMatch(
      /^__Host-chainwatch_sign_in=[^;]+; Max-Age=600; Path=\/; Expires=[^;]+; HttpOnly; Secure; SameSite=Lax$/,
    );
    const asked = to!.searchParams;
    expect(asked.get('redirect_uri')).toBe('https://watch.example.com/ui/oidc/callback');
    await behind.stop();
  });

  it('is nowhere where no issuer is configured', async () => {
    const without = await startSpecWorld({ sharing: world });
    for (const path of ['/ui/oidc/start', '/ui/oidc/callback?code=x'])
      await without.send('get', path).expect(404);
    await without.stop();
  });
});

describe('coming back', () => {
  it('opens a session of the member, whatever the case of the address, where the person wanted to be', async () => {
    const walker = new Walker();
    const home = await signIn(walker, { account: 'ada', to: '/ui/transactions?hash=0x1' });
    expect(home.href).toBe(`${origin}/ui/transactions?hash=0x1`);
    expect(walker.cookiesSet.filter((cookie) => cookie.startsWith('chainwatch'))).toEqual([
      expect.stringMatching(/^chainwatch_sign_in=v1/),
      expect.stringMatching(/^chainwatch_sign_in=; Max-Age=0; /),
      expect.stringMatching(
        /^chainwatch_session=v1\.spec\.[\w.-]+; Max-Age=43200; Path=\/v1; Expires=[^;]+; HttpOnly; SameSite=Strict$/,
      ),
    ]);
    const { body } = await readSession(walker).expect(200);
    expect(body).toMatchObject({
      key: null,
      member: { email: 'ada@example.com', role: 'developer' },
      workspace: { id: world.project.workspaceId },
      workspaces: [{ id: world.project.workspaceId }],
      projects: [{ id: world.project.projectId }],
    });
  });

  it('asks a person of several workspaces in which to act', async () => {
    const walker = new Walker();
    const home = await signIn(walker, { account: 'bob' });
    expect(home.href).toBe(`${origin}/ui/workspaces?to=%2Fui%2Faddresses`);
    const { body } = await readSession(walker).expect(200);
    const ids = body.workspaces.map(({ id }: { id: string }) => id);
    expect(ids.sort()).toEqual([world.project.workspaceId, world.otherProject.workspaceId].sort());
    for (const { project, role } of [
      { project: world.project, role: 'owner' },
      { project: world.otherProject, role: 'viewer' },
    ]) {
      const { body: there } = await readSession(walker, { 'X-Workspace-Id': project.workspaceId }).expect(
        200,
      );
      expect([there.workspace.id, there.member.role, there.projects]).toEqual([
        project.workspaceId,
        role,
        [{ id: project.projectId, name: expect.any(String) }],
      ]);
    }
  });

  it.each([
    ['nobody', 'unknown_member'],
    ['eve', 'unverified_email'],
    [undefined, 'cancelled'],
  ])('lets %s in no further than to the sign-in page: %s', async (account, reason) => {
    const walker = new Walker();
    const home = await signIn(walker, { account });
    expect(home.href).toBe(`${origin}/ui/sign-in?reason=${reason}`);
    expect(walker.cookieFor(origin)).toBe('');
    await readSession(walker).expect(401);
  });

  it.each(['https://evil.test/ui/', '//evil.test/ui/', '/\\evil.test/', '/v1/session', '/ui/oidc/start'])(
    'leads to the first page and not to %s',
    async (to) => {
      expect((await signIn(new Walker(), { account: 'ada', to })).href).toBe(`${origin}/ui/`);
    },
  );

  it('takes a code from the browser that asked for it, and from no other one', async () => {
    const [victim, attacker] = [new Walker(), new Walker()];
    const stop = (url: URL): boolean => url.pathname === '/ui/oidc/callback';
    const asked = await attacker.go(`${origin}/ui/oidc/start`);
    const { to: answer } = await attacker.go(asked.url, { form: { account: 'bob' }, before: stop });
    // The attacker's answer in the victim's browser, which never began, and which began itself.
    const refused = async (reason: string): Promise<void> => {
      const { to } = await victim.ask(answer!);
      expect([`${to?.pathname}${to?.search}`, victim.cookieFor(origin)]).toEqual([
        `/ui/sign-in?reason=${reason}`,
        '',
      ]);
    };
    await refused('expired');
    await victim.ask(`${origin}/ui/oidc/start`);
    await refused('refused');
    // It was not spent on that.
    expect((await attacker.ask(answer!)).to?.pathname).toBe('/ui/workspaces');
  });

  it('takes it once, also with a copy of all cookies', async () => {
    const walker = new Walker();
    const asked = await walker.go(`${origin}/ui/oidc/start`);
    const stop = (url: URL): boolean => url.pathname === '/ui/oidc/callback';
    const { to: answer } = await walker.go(asked.url, { form: { account: 'ada' }, before: stop });
    const copy = walker.copy();
    expect((await walker.ask(answer!)).to?.pathname).toBe('/ui/');
    expect((await walker.ask(answer!)).to?.search).toBe('?reason=expired');
    expect((await copy.ask(answer!)).to?.search).toBe('?reason=refused');
    expect(copy.cookieFor(origin)).toBe('');
  });

  it('takes no attempt that was sealed elsewhere, for something else, or too long ago', async () => {
    const attempt = (until_ms: number) =>
      JSON.stringify({
        redirect_uri: `${origin}/ui/oidc/callback`,
        state: 's',
        nonce: 'n',
        verifier: 'v',
        to: '/ui/',
        until_ms,
      });
    const ask = async (sealed: string): Promise<string | undefined> => {
      const headers = { cookie: `chainwatch_sign_in=${sealed}` };
      const url = `${origin}/ui/oidc/callback?code=x&state=s&iss=${issuer.url}`;
      return (await new Walker().ask(url, { headers })).to?.search;
    };
    const { sealer } = world.deps;
    for (const sealed of [
      'x',
      sealer.seal(attempt(Date.now() - 1), 'sign_in_attempt'),
      sealer.seal(attempt(Date.now() + 60_000), 'dashboard_session'),
    ])
      expect(await ask(sealed)).toBe('?reason=expired');
    const good = sealer.seal(attempt(Date.now() + 60_000), 'sign_in_attempt');
    expect(await ask(good)).toBe('?reason=refused');
  });
});

describe('an issuer', () => {
  it('vouches for people on every replica, and for nobody on one that has another issuer, or none', async () => {
    const walker = new Walker();
    await signIn(walker, { account: 'ada' });
    const twin = await withIssuer(issuer.url, world);
    const other = await withIssuer('https://accounts.example.com', world);
    const statuses: number[] = [];
    for (const replica of [twin.world, other.world, await startSpecWorld({ sharing: world })]) {
      const cookies = { 'Sec-Fetch-Site': 'same-origin', Cookie: walker.cookieFor(origin) };
      statuses.push((await replica.send('get', '/v1/session').set(cookies)).status);
      await replica.stop();
    }
    expect(statuses).toEqual([200, 401, 401]);
  });

  it('that tells the address to who asks for it is asked', async () => {
    const private_ = await startIssuer({ client: CLIENT, accounts, tellsInToken: false });
    const { world: asking, origin: at } = await withIssuer(private_.url, world);
    await private_.redirectTo(`${at}/ui/oidc/callback`);
    const walker = new Walker();
    expect((await signIn(walker, { account: 'ada', at })).pathname).toBe('/ui/addresses');
    expect(private_.requests).toContain('GET /me');
    await asking.stop();
    await private_.stop();
  });

  it('that is away keeps nobody else waiting, and is asked again', async () => {
    const gone = await startIssuer({ client: CLIENT, accounts });
    const { world: waiting, origin: at } = await withIssuer(gone.url, world);
    // Until it knows its client it answers 503.
    const away = await new Walker().ask(`${at}/ui/oidc/start`);
    expect([away.to?.href, away.status]).toEqual([`${at}/ui/sign-in?reason=issuer_away`, 303]);
    await waiting.send('get', '/v1/version', world.project.keys.api).expect(200);
    await gone.redirectTo(`${at}/ui/oidc/callback`);
    expect((await signIn(new Walker(), { account: 'ada', at })).pathname).toBe('/ui/addresses');
    await gone.stop();
    await waiting.stop();
  });

  it('in a blocked range is not called, and the log says which range', async () => {
    const logged: { err?: Error; reason?: string }[] = [];
    const { world: guarded, origin: at } = await withIssuer(issuer.url, world, { allow: [] });
    (guarded.deps as { logger: unknown }).logger = { warn: (fields: object) => void logged.push(fields) };
    const before = issuer.requests.length;
    expect((await new Walker().ask(`${at}/ui/oidc/start`)).to?.search).toBe('?reason=issuer_away');
    expect(issuer.requests.length).toBe(before);
    expect(logged).toMatchObject([
      { reason: 'issuer_away', err: { message: expect.stringContaining('OUTBOUND_ALLOW') } },
    ]);
    await guarded.stop();
  });
});

it('failed sign-ins are counted against the client', async () => {
  const before = world.limits.failedPerClient;
  world.limits.failedPerClient = 2;
  const statuses: number[] = [];
  for (let round = 0; round < 3; round += 1)
    statuses.push((await new Walker().ask(`${origin}/ui/oidc/callback?code=x`)).status);
  world.limits.failedPerClient = before;
  expect(statuses.at(-1)).toBe(429);
});
