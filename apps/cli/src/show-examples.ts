// SPDX-License-Identifier: Apache-2.0
/** The end of a help page; `examples` are lines of a terminal. */
export function showExamples({
  notes,
  examples,
}: {
  readonly notes?: string;
  readonly examples: string;
}): string {
  const lines = examples.split('\n').map((line) => `  ${line.trim()}`);
  return `\n${notes === undefined ? '' : `${notes}\n\n`}Examples:\n${lines.join('\n')}`;
}
