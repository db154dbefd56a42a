// SPDX-License-Identifier: Apache-2.0
import { describeOrdering, ORDERINGS } from './ordering.ts';

it('names what each choice makes', () => {
  for (const { title, members } of Object.values(ORDERINGS)) expect(describeOrdering(members)).toBe(title);
  expect(describeOrdering({ ordering: 'strict', ordering_key: 'channel' })).toBe(ORDERINGS.channel.title);
  expect(describeOrdering({ ordering_key: 'address' })).toBe(ORDERINGS.best_effort.title);
});
