// SPDX-License-Identifier: Apache-2.0
import { ProblemError } from './errors.ts';

const PROBLEM = {
  type: 'https://docs.example.com/problems/invalid-request',
  title: 'Invalid request',
  status: 400,
};
const FIELDS = [
  { name: 'limit', reason: 'expected 1 to 100, got 0' },
  { name: 'sort', reason: 'expected asc or desc, got up' },
];

it('states each reason of a 400 once', () => {
  // `detail` repeats the first field.
  const { message } = new ProblemError(
    { ...PROBLEM, detail: 'limit: expected 1 to 100, got 0', fields: FIELDS },
    new Headers(),
  );
  expect(message).toBe(
    '400 Invalid request; limit: expected 1 to 100, got 0; sort: expected asc or desc, got up',
  );
});

it('states the detail if no field is named', () => {
  const { message } = new ProblemError({ ...PROBLEM, detail: 'The body is not JSON.' }, new Headers());
  expect(message).toBe('400 Invalid request; The body is not JSON.');
});
