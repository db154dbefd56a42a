// SPDX-License-Identifier: Apache-2.0
import { SUBJECTS, type SubjectKind } from './subjects.ts';

/** `subjectOf('tx.detected', ['eip155:1', '6f…'])` → `tx.detected.eip155:1.6f…`; missing words become `*`. */
export function subjectOf(kind: SubjectKind, tokens: readonly string[] = []): string {
  return [kind, ...SUBJECTS[kind].tokens.map((_, position) => tokens[position] ?? '*')].join('.');
}

/** The JetStream stream that holds a kind: the subject's first word. */
export function streamOf(kind: SubjectKind): string {
  return kind.slice(0, kind.indexOf('.'));
}
