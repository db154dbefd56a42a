// SPDX-License-Identifier: Apache-2.0
import { BaseError } from './base-error.ts';
import { PROBLEM_KINDS, type ProblemCode } from './problem-kinds.ts';

export interface ProblemField {
  /** Where the value stands: `config.headers[0].name`. */
  readonly name: string;
  /** `expected …, got …` */
  readonly reason: string;
}

export interface ProblemOptions {
  /** Shown to clients; the kind's own text when absent. */
  readonly detail?: string;
  readonly fields?: readonly ProblemField[];
  /** Of a 410: the position to read on from; no event in between is kept. */
  readonly earliestPosition?: number;
  /** Response headers that belong to this answer, such as `Allow`. */
  readonly headers?: Readonly<Record<string, string>>;
  /** For logs only. */
  readonly cause?: unknown;
  /** For logs only; the detail when absent. */
  readonly message?: string;
}

/** An error with an answer for the client. Thrown anywhere below a handler; one middleware turns it into a response. */
export class ProblemError extends BaseError {
  readonly code: ProblemCode;
  readonly status: number;
  readonly title: string;
  readonly retryable: boolean;
  /** `detail` of the document. Holds no secret, no endpoint, no internal text. */
  declare readonly publicMessage: string;
  readonly fields?: readonly ProblemField[];
  readonly earliestPosition?: number;
  readonly headers: Readonly<Record<string, string>>;

  constructor(code: ProblemCode, options: ProblemOptions = {}) {
    const kind = PROBLEM_KINDS[code];
    const detail = options.detail ?? kind.detail;
    super(options.message ?? detail, { cause: options.cause, publicMessage: detail });
    this.code = code;
    this.status = kind.status;
    this.title = kind.title;
    this.retryable = kind.retryable;
    if (options.fields !== undefined) this.fields = options.fields;
    if (options.earliestPosition !== undefined) this.earliestPosition = options.earliestPosition;
    this.headers = options.headers ?? {};
  }
}
