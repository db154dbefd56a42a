// SPDX-License-Identifier: Apache-2.0
import { findEventLists } from './find-event-lists.ts';

it('EVENTS is the only list of event types in the product', () => {
  expect(findEventLists()).toEqual(['libs/events/src/events.ts']);
});
