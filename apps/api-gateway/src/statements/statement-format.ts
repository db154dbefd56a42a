// SPDX-License-Identifier: Apache-2.0
import type { StatementLine } from './statement-lines.ts';

/** A form of the document, written line by line. */
export interface StatementFormat {
  readonly mediaType: string;
  readonly head: string;
  write(line: StatementLine): string;
  readonly tail: string;
  /** Whether the document ends with a line that is its signature. */
  readonly isSelfSigned: boolean;
}
