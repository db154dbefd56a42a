// SPDX-License-Identifier: Apache-2.0
import { findBreach } from '../spec-support/watch-answers.ts';

const version = {
  name: 'chainwatch',
  version: '1',
  api_version: 'v1',
  commit: 'c',
  built_at: 'b',
  signature_versions: ['v1'],
};
const always = {
  'x-request-id': 'x',
  'x-ratelimit-limit': 1,
  'x-ratelimit-remaining': '0',
  'x-ratelimit-reset': 1,
};
const headers = { ...always, 'content-type': 'application/json; charset=utf-8' };
const answer = { method: 'get', path: '/v1/version', status: 200, headers, body: JSON.stringify(version) };
const problem = {
  headers: { ...always, 'content-type': 'application/problem+json' },
  body: '{"type":"t","title":"T","status":404}',
};

describe('the check that every answer of the specs goes through', () => {
  it.each([
    ['an answer as described', answer],
    ['an unknown path', { ...answer, ...problem, path: '/v1/nothing', status: 404 }],
    ['a method that the path does not have', { ...answer, ...problem, method: 'put', status: 405 }],
    ['no content', { method: 'delete', path: '/v1/addresses/x', status: 204, headers: always, body: '' }],
  ])('lets %s pass', (_name, given) => {
    expect(findBreach(given)).toBeUndefined();
  });

  it.each([
    ['a member that is missing', { ...answer, body: JSON.stringify({ ...version, commit: undefined }) }],
    ['a member that is not described', { ...answer, body: JSON.stringify({ ...version, more: 1 }) }],
    ['a status that is not described', { ...answer, ...problem, status: 409 }],
    ['a problem as plain JSON', { ...answer, ...problem, headers, status: 401 }],
    [
      'a body where none belongs',
      { method: 'delete', path: '/v1/addresses/x', status: 204, headers: always, body: '{}' },
    ],
    ['a header that is missing', { ...answer, headers: { ...headers, 'x-request-id': undefined } }],
    [
      'a header that is not as described',
      { ...answer, headers: { ...headers, 'x-ratelimit-limit': 'many' } },
    ],
    ['success on a path that is not described', { ...answer, path: '/v1/nothing' }],
  ])('tells of %s', (_name, given) => {
    expect(findBreach(given)).toEqual(
      expect.stringContaining(`${given.method.toUpperCase()} ${given.path}: ${given.status}`),
    );
  });
});
