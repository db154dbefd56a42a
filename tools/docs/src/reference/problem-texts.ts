import type { ProblemCode } from '@chainwatch/problem';

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
      'The path, the query or the body is not as the operation describes it. `fields` names each value that is wrong, at most 100 of them.',
      'Unknown parameters and members are refused, so that a typing error does not go unnoticed. So is a number that a 64-bit float cannot hold exactly: send it as text.',
    ],
    todo: [
      'Correct the values that `fields` names.',
      'Do not send the same again: the answer will be the same.',
    ],
  },
  unauthorized: {
    means: ['The header `X-Api-Key` is missing, or it does not hold a key that is valid now.'],
    todo: [
      'Look at the key: it has a checksum, so that a mistyped one is never valid.',
      'Was it revoked, rolled or has it expired? `GET /v1/management/keys` tells, with a management key.',
      'Is it a key of this installation, and of the right type? `svc_api_…` is for the platform API, `svc_mgt_…` for `/v1/management`, `svc_rpc_…` for the RPC gateway.',
    ],
  },
  forbidden: {
    means: ['The key is valid and does not have the permission that the operation names.'],
    todo: [
      'Permissions of a key are fixed: make a new key with the permission, then revoke this one.',
      "Changes of chains need a key of the operator's workspace.",
    ],
  },
  not_found: {
    means: [
      'There is no such path, or no such thing in the project of the key. What belongs to another project is answered in the same way.',
    ],
    todo: [
      'Look at the id, and at whose key it is.',
      'After a DELETE that was sent again, 404 means that it is done.',
    ],
  },
  method_not_allowed: {
    means: ['The path exists and does not have this method.'],
    todo: ['Use one of the methods in the header `Allow`.'],
  },
  not_acceptable: {
    means: ['`Accept` asks for something else than the operation has.'],
    todo: [
      'Accept `application/json`; the lists that can be exported also have `text/csv` and `application/x-ndjson`.',
    ],
  },
  conflict: {
    means: [
      'The state of the thing does not allow it: it exists already, an overlap of two secrets still runs, another reset or reprocessing is under way.',
      'With an `Idempotency-Key`: the same request is still running, or was carried out and its answer was not kept.',
    ],
    todo: [
      'Read the resource: what you wanted may be there.',
      'Where the answer has `Retry-After`, the first request still runs: send the same again after that time.',
    ],
  },
  gone: {
    means: [
      'Events behind the position in `after` are not kept any more (30 days unless configured otherwise).',
    ],
    todo: [
      'Begin with `earliest_position` of the answer.',
      'What is missing is in the other lists: `GET /v1/transactions?since=…` and the balances.',
    ],
  },
  content_too_large: {
    means: [
      'The body is larger than the operation takes: 256 KiB, and 8 MiB for an import of many addresses.',
    ],
    todo: ['Send less at once.'],
  },
  unsupported_media_type: {
    means: ['The body is something else than JSON, by its `Content-Type`.'],
    todo: ['Send `Content-Type: application/json`.'],
  },
  unprocessable_entity: {
    means: [
      'The request is well formed, and something that it needs is not so: a quota is reached, a URL leads into a private network, the node belongs to another chain, the contract is no token, an extended key does not fit its path.',
      'With an `Idempotency-Key`: the key was used for another path or body.',
    ],
    todo: ['`detail` says what was expected and what came. Correct that, or ask the operator.'],
  },
  rate_limit: {
    means: [
      "The key has made its requests of the last 60 seconds; for requests without a key, the client's address has.",
      'Or something that is counted is full: streams of a workspace, exports of a key, imports under way.',
    ],
    todo: [
      'Wait until the time in `X-RateLimit-Reset`, or for the seconds in `Retry-After`.',
      'Ask for less: cursors and the event stream cost fewer requests than polling, imports and balances go by thousands.',
    ],
  },
  internal_error: {
    means: ['Something happened that should not. What it was stands in the log of the service.'],
    todo: [
      'Send it again after 1 s, 2 s, 4 s and so on, at most five times. A POST only with an `Idempotency-Key`.',
      'Tell the operator the `X-Request-Id` of the answer: it is in every log line of the request.',
    ],
  },
  bad_gateway: {
    means: ['A node that the request needs could not be reached, or answered with nothing of use.'],
    todo: [
      'Send it again later.',
      'Operator: `GET /v1/blockchains/{gid}` and `chainwatch doctor` say what is wrong with the node.',
    ],
  },
  service_unavailable: {
    means: [
      'The service cannot take the request now: a time limit was reached, the database does not answer, or more work of this kind is under way than it takes.',
    ],
    todo: ['Send it again after `Retry-After`, or after 1 s, 2 s, 4 s and so on.'],
  },
  gateway_timeout: {
    means: ['Something that the request needs did not answer in time.'],
    todo: ['Send it again later.'],
  },
};
