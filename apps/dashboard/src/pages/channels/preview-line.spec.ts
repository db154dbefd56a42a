// SPDX-License-Identifier: Apache-2.0
import '../../spec-support/page-request.ts';
import { describePreview } from './preview-line.tsx';

it.each([
  [412, true, 'Last week this channel would have had 412 events.'],
  [1, true, 'Last week this channel would have had 1 event.'],
  [0, true, 'Last week this channel would have had no events.'],
  [31_500, false, 'Last week this channel would have had at least 31,500 events.'],
  [0, false, 'Last week had more events than a preview counts.'],
])('%d, complete: %p', (count, isComplete, text) => {
  expect(describePreview({ event_count: count, is_complete: isComplete })).toBe(text);
});
