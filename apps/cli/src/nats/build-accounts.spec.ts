// SPDX-License-Identifier: Apache-2.0
import { EVENT_SUBJECTS, SUBJECTS } from '@chainwatch/events';
import { subjectsOf } from './write-accounts.ts';

const PROJECT = '6f1d1f4e-0000-4000-8000-000000000001';

/** As a NATS server matches a subject without `>`. */
function matches(pattern: string, subject: string): boolean {
  const [expected, words] = [pattern.split('.'), subject.split('.')];
  return expected.length === words.length && expected.every((word, at) => word === '*' || word === words[at]);
}

it.each(Object.entries(SUBJECTS))(
  '%s is imported by its project if it is an event, else by nobody',
  (kind, row) => {
    const tokens: readonly string[] = row.tokens;
    const subject = [kind, ...tokens.map((token) => (token === 'project_id' ? PROJECT : 'x'))].join('.');
    expect(subjectsOf(PROJECT).some((pattern) => matches(pattern, subject))).toBe(kind in EVENT_SUBJECTS);
    expect(subjectsOf('other').some((pattern) => matches(pattern, subject))).toBe(false);
  },
);

it('a new type of a family is imported, and no internal subject is in a family of events', () => {
  expect(subjectsOf(PROJECT).some((pattern) => matches(pattern, `tx.invented.x.${PROJECT}`))).toBe(true);
  const families = subjectsOf(PROJECT).map((pattern) => pattern.split('.')[0]);
  const internal = Object.keys(SUBJECTS).filter((kind) => !(kind in EVENT_SUBJECTS));
  expect(internal.filter((kind) => families.includes(kind.split('.')[0]))).toEqual([]);
});
