// SPDX-License-Identifier: Apache-2.0
import type { ProblemCode } from '@chainwatch/common/problem';

interface ProblemText {
  /** When it comes. */
  readonly means: readonly string[];
  /** What whoever sent the request can do. */
  readonly todo: readonly string[];
}

/** What the page of each problem says beside its kind. */
export const PROBLEM_TEXTS: Readonly<Record<ProblemCode, ProblemText>> = {
  invalid_request: {
    means: [
      'The path, the query, or the body does not match the description of the operation. `fields` lists up to 100 wrong values.',
      'Unknown parameters and members are refused, so that typing errors are detected. A number that a 64-bit float cannot represent exactly is refused as well: send it as a string.',
    ],
    todo: [
      'Correct the values in `fields`.',
      'Do not repeat the request unchanged: the answer will be the same.',
    ],
  },
  unauthorized: {
    means: ['The header `X-Api-Key` is missing, or its key is not valid.'],
    todo: [
      'Check the key for typing errors: it has a checksum.',
      'Check whether it was revoked or rotated, or has expired: `GET /v1/management/keys` with a management key.',
      'Check that it belongs to this installation and has the right type: `svc_api_…` is for the platform API, `svc_mgt_…` for `/v1/management`, `svc_rpc_…` for the RPC gateway.',
    ],
  },
  forbidden: {
    means: ['The key is valid but does not have the permission of the operation.'],
    todo: [
      'Permissions of a key are fixed: create a new key with the permission, then revoke this one.',
      "Changes of chains need a key of the operator's workspace.",
    ],
  },
  not_found: {
    means: [
      'The path does not exist, or the project of the key has no such resource. Resources of other projects are answered in the same way.',
    ],
    todo: [
      'Check the id, and the project of the key.',
      'After a repeated DELETE, 404 means that the resource is deleted.',
    ],
  },
  method_not_allowed: {
    means: ['The path exists but does not have this method.'],
    todo: ['Use one of the methods in the header `Allow`.'],
  },
  not_acceptable: {
    means: ['The operation does not offer the type in `Accept`.'],
    todo: [
      'Accept `application/json`; the lists that can be exported also have `text/csv` and `application/x-ndjson`.',
    ],
  },
  conflict: {
    means: [
      'The state of the resource does not allow the request: it exists already, an overlap of two secrets is not over, or another reset or reprocessing is running.',
      'With an `Idempotency-Key`: the same request is still running, or was processed and its answer was not stored.',
    ],
    todo: [
      'Read the resource: it may already have the wanted state.',
      'If the answer has `Retry-After`, the first request is still running: repeat the request after that time.',
    ],
  },
  gone: {
    means: [
      'Events after the position in `after` are no longer stored (30 days unless configured otherwise).',
    ],
    todo: [
      'Continue with `earliest_position` of the answer.',
      'Read missing data from the other lists: `GET /v1/transactions?since=…` and the balances.',
    ],
  },
  content_too_large: {
    means: ['The body is too large. Maximum 256 KiB, and 8 MiB for batch imports of addresses.'],
    todo: ['Send less at once.'],
  },
  unsupported_media_type: {
    means: ['The `Content-Type` of the body is not JSON.'],
    todo: ['Send `Content-Type: application/json`.'],
  },
  unprocessable_entity: {
    means: [
      'The request is well formed, but a precondition is not met: a quota is reached, a URL leads into a private network, the node belongs to another chain, the contract is not a token, or an extended key does not match its path.',
      'With an `Idempotency-Key`: the key was used for another path or body.',
    ],
    todo: ['`detail` has the expected and the actual value. Correct it, or ask the operator.'],
  },
  rate_limit: {
    means: [
      "The key has used its requests for the last 60 seconds. For requests without a key, the limit applies to the client's address.",
      'Or another limit is reached: streams of a workspace, exports of a key, running imports.',
    ],
    todo: [
      'Wait until the time in `X-RateLimit-Reset`, or for the seconds in `Retry-After`.',
      'Send fewer requests: use cursors and the event stream instead of polling, and batches for imports and balances.',
    ],
  },
  internal_error: {
    means: ['An unexpected error happened. The log of the service has the details.'],
    todo: [
      'Retry after 1 s, 2 s, 4 s, and so on, at most five times. Retry a POST only with an `Idempotency-Key`.',
      'Give the operator the `X-Request-Id` of the answer: it is in every log line of the request.',
    ],
  },
  bad_gateway: {
    means: ['A node that the request needs is unreachable, or its answer is unusable.'],
    todo: [
      'Retry later.',
      'Operator: `GET /v1/blockchains/{gid}` and `chainwatch doctor` show the problem of the node.',
    ],
  },
  service_unavailable: {
    means: [
      'The service cannot process the request now: a time limit was reached, the database does not answer, or too many requests of this kind are running.',
    ],
    todo: ['Retry after `Retry-After`, or after 1 s, 2 s, 4 s, and so on.'],
  },
  gateway_timeout: {
    means: ['A service that the request needs did not answer in time.'],
    todo: ['Retry later.'],
  },
};
