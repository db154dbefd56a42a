import type * as Client from './client.ts';
import type * as Session from './session.ts';

const WORKSPACE = '6f1d1f4e-0000-4000-8000-000000000001';

/** What a browser does with an address that names no host. */
class PageRequest extends Request {
  constructor(input: string | URL | Request, init?: RequestInit) {
    super(typeof input === 'string' ? new URL(input, 'http://dashboard.invalid') : input, init);
  }
}

const asked: Request[] = [];
let answer: () => Response;
let session: typeof Session;
let client: typeof Client;
beforeAll(async () => {
  globalThis.Request = PageRequest;
  globalThis.fetch = async (request) => {
    asked.push(request as Request);
    return answer();
  };
  // The client keeps what it finds when it is made.
  [session, client] = await Promise.all([import('./session.ts'), import('./client.ts')]);
});
beforeEach(() => {
  asked.length = 0;
  client.actIn(WORKSPACE);
});

const problem = (status: number) => () =>
  new Response(JSON.stringify({ title: 'No', status }), {
    status,
    headers: { 'Content-Type': 'application/problem+json' },
  });

it.each<[string, () => Response]>([
  ['the session has ended', () => new Response(null, { status: 204 })],
  ['it had ended before', problem(401)],
])('a person is signed out when %s, in whatever workspace it acted', async (_name, given) => {
  answer = given;
  await session.signOut();
  expect(client.actingIn()).toBeUndefined();
  expect(asked.map(({ method, url }) => `${method} ${new URL(url).pathname}`)).toEqual([
    'DELETE /v1/session',
  ]);
  // One that the person was removed from refuses what is asked in it.
  expect(asked[0]!.headers.get('X-Workspace-Id')).toBeNull();
});

it.each([400, 429, 500, 503])('nobody is told to be signed out when the answer is %d', async (status) => {
  answer = problem(status);
  await expect(session.signOut()).rejects.toMatchObject({ status });
  expect(client.actingIn()).toBe(WORKSPACE);
});
