// SPDX-License-Identifier: Apache-2.0
import '../spec-support/page-request.ts';
import { actIn, actingIn } from './client.ts';
import { signOut } from './session.ts';

const WORKSPACE = '6f1d1f4e-0000-4000-8000-000000000001';

const asked: Request[] = [];
let answer: () => Response;
const realFetch = globalThis.fetch;
beforeAll(() => {
  globalThis.fetch = async (request) => {
    asked.push(request as Request);
    // An answer of 503 makes the page ask whether the API is there: it is.
    return (request as Request).method === 'DELETE' ? answer() : new Response(null, { status: 204 });
  };
});
afterAll(() => {
  globalThis.fetch = realFetch;
  actIn(undefined);
});
beforeEach(() => {
  asked.length = 0;
  actIn(WORKSPACE);
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
  await signOut();
  expect(actingIn()).toBeUndefined();
  expect(asked.map(({ method, url }) => `${method} ${new URL(url).pathname}`)).toEqual([
    'DELETE /v1/session',
  ]);
  // One that the person was removed from refuses what is asked in it.
  expect(asked[0]!.headers.get('X-Workspace-Id')).toBeNull();
});

it.each([400, 429, 500, 503])('nobody is told to be signed out when the answer is %d', async (status) => {
  answer = problem(status);
  await expect(signOut()).rejects.toMatchObject({ status });
  expect(actingIn()).toBe(WORKSPACE);
});
