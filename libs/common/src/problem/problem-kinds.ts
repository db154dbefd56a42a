// SPDX-License-Identifier: Apache-2.0
interface ProblemKind {
  readonly status: number;
  readonly title: string;
  /** Which configured address the type URI stands under, and the rest of it (interface.md, Errors; decisions.md §1.7). */
  readonly base: 'docsUrl' | 'apiHost';
  readonly path: string;
  /** What a client reads where the caller gives no detail. */
  readonly detail: string;
  /** Whether the same request may succeed later (interface.md, Retry guidance). */
  readonly retryable: boolean;
}

export const PROBLEM_KINDS = {
  invalid_request: {
    status: 400,
    title: 'Invalid Request',
    base: 'docsUrl',
    path: '/apis/problems/invalid-request',
    detail: 'The request is not valid.',
    retryable: false,
  },
  unauthorized: {
    status: 401,
    title: 'Unauthorized',
    base: 'docsUrl',
    path: '/errors/unauthorized',
    detail: 'The API key is missing or invalid.',
    retryable: false,
  },
  forbidden: {
    status: 403,
    title: 'Forbidden',
    base: 'docsUrl',
    path: '/errors/forbidden',
    detail: 'The API key does not have the permission that this request needs.',
    retryable: false,
  },
  not_found: {
    status: 404,
    title: 'Not Found',
    base: 'docsUrl',
    path: '/apis/problems/not-found',
    detail: 'The resource does not exist.',
    retryable: false,
  },
  method_not_allowed: {
    status: 405,
    title: 'Method Not Allowed',
    base: 'docsUrl',
    path: '/apis/problems/method-not-allowed',
    detail: 'The resource does not have this method.',
    retryable: false,
  },
  not_acceptable: {
    status: 406,
    title: 'Not Acceptable',
    base: 'docsUrl',
    path: '/apis/problems/not-acceptable',
    detail: 'The response is available as application/json only.',
    retryable: false,
  },
  conflict: {
    status: 409,
    title: 'Conflict',
    base: 'docsUrl',
    path: '/apis/problems/conflict',
    detail: "The request conflicts with the resource's state.",
    retryable: false,
  },
  gone: {
    status: 410,
    title: 'Gone',
    base: 'docsUrl',
    path: '/apis/problems/gone',
    detail: 'The requested data is no longer stored.',
    retryable: false,
  },
  content_too_large: {
    status: 413,
    title: 'Content Too Large',
    base: 'docsUrl',
    path: '/apis/problems/content-too-large',
    detail: 'The request body is too large.',
    retryable: false,
  },
  unsupported_media_type: {
    status: 415,
    title: 'Unsupported Media Type',
    base: 'docsUrl',
    path: '/apis/problems/unsupported-media-type',
    detail: 'The request body must be application/json.',
    retryable: false,
  },
  unprocessable_entity: {
    status: 422,
    title: 'Unprocessable Entity',
    base: 'docsUrl',
    path: '/apis/problems/unprocessable-entity',
    detail: 'A precondition of the request is not met.',
    retryable: false,
  },
  rate_limit: {
    status: 429,
    title: 'Too Many Requests',
    base: 'docsUrl',
    path: '/apis/problems/rate-limit',
    detail: 'The rate limit is exceeded.',
    retryable: true,
  },
  internal_error: {
    status: 500,
    title: 'Internal Server Error',
    base: 'apiHost',
    path: '/problems/internal-error',
    detail: 'An unexpected error happened on the server.',
    retryable: true,
  },
  bad_gateway: {
    status: 502,
    title: 'Bad Gateway',
    base: 'apiHost',
    path: '/problems/bad-gateway',
    detail: 'A service that this request needs could not be reached.',
    retryable: true,
  },
  service_unavailable: {
    status: 503,
    title: 'Service Unavailable',
    base: 'apiHost',
    path: '/problems/service-unavailable',
    detail: 'The server cannot take this request at the moment.',
    retryable: true,
  },
  gateway_timeout: {
    status: 504,
    title: 'Gateway Timeout',
    base: 'apiHost',
    path: '/problems/gateway-timeout',
    detail: 'A service that this request needs did not answer in time.',
    retryable: true,
  },
} as const satisfies Record<string, ProblemKind>;

export type ProblemCode = keyof typeof PROBLEM_KINDS;
