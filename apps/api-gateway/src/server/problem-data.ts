// SPDX-License-Identifier: Apache-2.0
import type { ProblemCode, ProblemError, ProblemField } from '@chainwatch/common/problem';

/** A problem as data: what a thread answers, and what is stored. `new ProblemError(data.code, data)` is the error again. */
export interface ProblemData {
  readonly type: 'problem';
  readonly code: ProblemCode;
  readonly detail: string;
  readonly fields?: readonly ProblemField[];
  readonly headers: Readonly<Record<string, string>>;
}

export function toProblemData({ code, publicMessage, fields, headers }: ProblemError): ProblemData {
  return { type: 'problem', code, detail: publicMessage, fields, headers };
}
