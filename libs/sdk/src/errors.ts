// SPDX-License-Identifier: Apache-2.0
import type { components } from './generated/openapi.ts';

type Problem = components['schemas']['Problem'];

/** What the API said instead of an answer (RFC 9457), and everything else that keeps an answer from coming. */
export class ChainwatchError extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = new.target.name;
  }
}

/** The last part of a problem's `type`; other ones may be added. */
export type ProblemCode =
  | 'invalid-request'
  | 'unauthorized'
  | 'forbidden'
  | 'not-found'
  | 'method-not-allowed'
  | 'conflict'
  | 'gone'
  | 'content-too-large'
  | 'unsupported-media-type'
  | 'unprocessable-entity'
  | 'rate-limit'
  | 'internal-error'
  | 'bad-gateway'
  | 'service-unavailable'
  | (string & {});

/**
 * A problem that the API answered.
 *
 * @example
 * if (error instanceof ProblemError && error.code === 'conflict') return; // it is there already
 */
export class ProblemError extends ChainwatchError {
  readonly status: number;
  readonly code: ProblemCode;
  readonly title: string;
  readonly detail: string | undefined;
  /** Which members of the request are wrong, and why; empty unless `status` is 400. */
  readonly fields: readonly { readonly name: string; readonly reason: string }[];
  /** Stands in every log line of the request: name it when you ask for help. */
  readonly requestId: string | undefined;
  readonly headers: Headers;
  /** The whole problem, with members that only some kinds have, such as `earliest_position` of 410. */
  readonly problem: Problem & Readonly<Record<string, unknown>>;

  constructor(problem: Problem & Readonly<Record<string, unknown>>, headers: Headers) {
    const reasons = problem.fields?.map(({ name, reason }) => `${name}: ${reason}`) ?? [];
    // `detail` of a 400 repeats the first of its fields.
    const said = reasons.length > 0 ? reasons : [problem.detail];
    super([`${problem.status} ${problem.title}`, ...said].filter(Boolean).join('; '));
    this.status = problem.status;
    this.code = problem.type.split('/').at(-1) ?? '';
    this.title = problem.title;
    this.detail = problem.detail;
    this.fields = problem.fields ?? [];
    this.requestId = headers.get('x-request-id') ?? undefined;
    this.headers = headers;
    this.problem = problem;
  }
}

/** No answer: no connection, cut off, or not in time. `cause` says more. */
export class ConnectionError extends ChainwatchError {}

/** Why a webhook delivery is refused; what each means stands in the README. */
export type SignatureRefusal =
  | 'missing_header'
  | 'malformed_header'
  | 'no_known_version'
  | 'body_not_raw'
  | 'signature_mismatch'
  | 'timestamp_outside_tolerance'
  | 'malformed_event';

/** A request to your webhook URL that did not come from your chainwatch just now: answer 400. */
export class SignatureError extends ChainwatchError {
  readonly reason: SignatureRefusal;

  constructor(reason: SignatureRefusal) {
    super(`the delivery is refused: ${reason}`);
    this.reason = reason;
  }
}

/** Reads the problem of an answer; whatever a proxy in between says instead becomes one. */
export async function readProblem(response: Response): Promise<ProblemError> {
  const { status, headers } = response;
  const text = await response.text().catch(() => '');
  return new ProblemError(
    parseProblem(text) ?? {
      type: 'about:blank',
      title: response.statusText || 'expected an answer of chainwatch',
      status,
    },
    headers,
  );
}

function parseProblem(text: string): (Problem & Record<string, unknown>) | undefined {
  try {
    const value = JSON.parse(text) as Problem & Record<string, unknown>;
    return typeof value?.type === 'string' && typeof value.status === 'number' ? value : undefined;
  } catch {
    return undefined;
  }
}
