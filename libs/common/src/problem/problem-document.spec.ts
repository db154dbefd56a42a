// SPDX-License-Identifier: Apache-2.0
import * as problem from './index.ts';

const context = {
  docsUrl: 'https://docs.example.com',
  apiHost: 'https://svc.example.com',
  instance: '/v1/assets',
};
const docs = context.docsUrl;
const api = context.apiHost;

// Status, title and type as interface.md and decisions.md §1.7 have them.
const expected: [problem.ProblemError, number, string, string][] = [
  [
    problem.invalidRequest([{ name: 'a', reason: 'expected b' }]),
    400,
    'Invalid Request',
    `${docs}/apis/problems/invalid-request`,
  ],
  [problem.unauthorized(), 401, 'Unauthorized', `${docs}/errors/unauthorized`],
  [problem.forbidden(), 403, 'Forbidden', `${docs}/errors/forbidden`],
  [problem.notFound(), 404, 'Not Found', `${docs}/apis/problems/not-found`],
  [problem.methodNotAllowed(['GET']), 405, 'Method Not Allowed', `${docs}/apis/problems/method-not-allowed`],
  [problem.notAcceptable(), 406, 'Not Acceptable', `${docs}/apis/problems/not-acceptable`],
  [problem.conflict('x'), 409, 'Conflict', `${docs}/apis/problems/conflict`],
  [problem.gone('x', 7), 410, 'Gone', `${docs}/apis/problems/gone`],
  [problem.contentTooLarge(5), 413, 'Content Too Large', `${docs}/apis/problems/content-too-large`],
  [
    problem.unsupportedMediaType(),
    415,
    'Unsupported Media Type',
    `${docs}/apis/problems/unsupported-media-type`,
  ],
  [
    problem.unprocessableEntity('x'),
    422,
    'Unprocessable Entity',
    `${docs}/apis/problems/unprocessable-entity`,
  ],
  [problem.tooManyRequests(3), 429, 'Too Many Requests', `${docs}/apis/problems/rate-limit`],
  [problem.internalServerError(), 500, 'Internal Server Error', `${api}/problems/internal-error`],
  [problem.badGateway(), 502, 'Bad Gateway', `${api}/problems/bad-gateway`],
  [problem.serviceUnavailable(), 503, 'Service Unavailable', `${api}/problems/service-unavailable`],
  [problem.gatewayTimeout(), 504, 'Gateway Timeout', `${api}/problems/gateway-timeout`],
];

describe('toProblemDocument', () => {
  it.each(expected.map(([error, ...rest]) => ({ error, rest })))(
    'gives status, title and type of $error.code',
    ({ error, rest }) => {
      const document = problem.toProblemDocument(error, context);
      expect([document.status, document.title, document.type]).toEqual(rest);
      expect(document.instance).toBe('/v1/assets');
      expect(document.detail).not.toBe('');
      expect(problem.problemDocumentSchema.parse(document)).toEqual(document);
    },
  );

  it('has a factory for every kind', () => {
    expect(expected.map(([{ code }]) => code).sort()).toEqual(Object.keys(problem.PROBLEM_KINDS).sort());
  });

  it('carries the fields of a validation error', () => {
    const fields = [
      { name: 'a', reason: 'expected b, got c' },
      { name: 'd', reason: 'expected e, got f' },
    ];
    const document = problem.toProblemDocument(problem.invalidRequest(fields), context);
    expect(document.fields).toEqual(fields);
    expect(document.detail).toBe('a: expected b, got c (and 1 more)');
  });

  it('bounds the number of fields', () => {
    const fields = Array.from({ length: 5000 }, (_, index) => ({
      name: `f${index}`,
      reason: 'expected no such field',
    }));
    expect(problem.toProblemDocument(problem.invalidRequest(fields), context).fields).toHaveLength(100);
  });

  it.each([
    new Error('password=hunter2'),
    'password=hunter2',
    undefined,
    null,
    { status: 404, publicMessage: 'password=hunter2' },
  ])('tells nothing about an error that is not a problem: %p', (error) => {
    const document = problem.toProblemDocument(error, context);
    expect(document.status).toBe(500);
    expect(JSON.stringify(document)).not.toContain('hunter2');
  });

  it('tells nothing about the cause of a problem', () => {
    const error = problem.internalServerError(new Error('password=hunter2'));
    expect(error.message).toBe('password=hunter2');
    expect(JSON.stringify(problem.toProblemDocument(error, context))).not.toContain('hunter2');
    expect(
      JSON.stringify(problem.toProblemDocument(problem.badGateway(undefined, error), context)),
    ).not.toContain('hunter2');
  });

  it('takes addresses with a trailing slash, and leaves out an instance it was not given', () => {
    const document = problem.toProblemDocument(problem.notFound(), {
      docsUrl: `${docs}/`,
      apiHost: `${api}/`,
    });
    expect(document.type).toBe(`${docs}/apis/problems/not-found`);
    expect(document).not.toHaveProperty('instance');
  });
});

describe('factories', () => {
  it('give the headers that belong to the answer', () => {
    expect(problem.methodNotAllowed(['GET', 'POST']).headers).toEqual({ Allow: 'GET, POST' });
    expect(problem.tooManyRequests(0.2).headers).toEqual({ 'Retry-After': '1' });
    expect(problem.serviceUnavailable('x', { retryAfterSeconds: 2.5 }).headers).toEqual({
      'Retry-After': '3',
    });
    expect(problem.notFound().headers).toEqual({});
  });

  it('say expected and got', () => {
    expect(problem.unsupportedMediaType('text/plain').publicMessage).toBe(
      'Expected content type application/json, got "text/plain".',
    );
    expect(problem.unsupportedMediaType().publicMessage).toContain('got none');
    expect(problem.contentTooLarge(1_048_576).publicMessage).toContain('expected at most 1048576 bytes');
    expect(problem.methodNotAllowed(['GET', 'POST']).publicMessage).toContain('GET, POST');
  });

  it('mark what may succeed later', () => {
    const retryable = expected.filter(([error]) => error.retryable).map(([error]) => error.status);
    expect(retryable).toEqual([429, 500, 502, 503, 504]);
  });
});
