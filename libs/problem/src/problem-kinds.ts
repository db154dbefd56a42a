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
  invalid_request: kind(
    400,
    'Invalid Request',
    'docsUrl',
    '/apis/problems/invalid-request',
    'The request is not valid.',
  ),
  unauthorized: kind(
    401,
    'Unauthorized',
    'docsUrl',
    '/errors/unauthorized',
    'The API key is missing or invalid.',
  ),
  forbidden: kind(
    403,
    'Forbidden',
    'docsUrl',
    '/errors/forbidden',
    'The API key does not have the permission that this request needs.',
  ),
  not_found: kind(404, 'Not Found', 'docsUrl', '/apis/problems/not-found', 'The resource does not exist.'),
  method_not_allowed: kind(
    405,
    'Method Not Allowed',
    'docsUrl',
    '/apis/problems/method-not-allowed',
    'The resource does not have this method.',
  ),
  not_acceptable: kind(
    406,
    'Not Acceptable',
    'docsUrl',
    '/apis/problems/not-acceptable',
    'The response is available as application/json only.',
  ),
  conflict: kind(
    409,
    'Conflict',
    'docsUrl',
    '/apis/problems/conflict',
    "The request conflicts with the resource's state.",
  ),
  content_too_large: kind(
    413,
    'Content Too Large',
    'docsUrl',
    '/apis/problems/content-too-large',
    'The request body is too large.',
  ),
  unsupported_media_type: kind(
    415,
    'Unsupported Media Type',
    'docsUrl',
    '/apis/problems/unsupported-media-type',
    'The request body must be application/json.',
  ),
  unprocessable_entity: kind(
    422,
    'Unprocessable Entity',
    'docsUrl',
    '/apis/problems/unprocessable-entity',
    'A precondition of the request is not met.',
  ),
  rate_limit: kind(
    429,
    'Too Many Requests',
    'docsUrl',
    '/apis/problems/rate-limit',
    'The rate limit is exceeded.',
    true,
  ),
  internal_error: kind(
    500,
    'Internal Server Error',
    'apiHost',
    '/problems/internal-error',
    'An unexpected error happened on the server.',
    true,
  ),
  bad_gateway: kind(
    502,
    'Bad Gateway',
    'apiHost',
    '/problems/bad-gateway',
    'A service that this request needs could not be reached.',
    true,
  ),
  service_unavailable: kind(
    503,
    'Service Unavailable',
    'apiHost',
    '/problems/service-unavailable',
    'The server cannot take this request at the moment.',
    true,
  ),
  gateway_timeout: kind(
    504,
    'Gateway Timeout',
    'apiHost',
    '/problems/gateway-timeout',
    'A service that this request needs did not answer in time.',
    true,
  ),
} as const satisfies Record<string, ProblemKind>;

export type ProblemCode = keyof typeof PROBLEM_KINDS;

function kind(
  status: number,
  title: string,
  base: ProblemKind['base'],
  path: string,
  detail: string,
  retryable = false,
): ProblemKind {
  return { status, title, base, path, detail, retryable };
}
