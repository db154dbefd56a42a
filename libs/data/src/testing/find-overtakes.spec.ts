// SPDX-License-Identifier: Apache-2.0
import { findOvertakes, type Seen } from './find-overtakes.ts';

const attempt = (...eventIds: string[]): Seen => ({ what: 'attempt', eventIds });
const ack = (...eventIds: string[]): Seen => ({ what: 'acknowledgement', eventIds });
const lines = [['a1', 'a2', 'a3'], ['b1']];

it.each<[string, Seen[], string[]]>([
  ['one after the other', [attempt('a1'), ack('a1'), attempt('a2'), ack('a2'), attempt('a3')], []],
  ['a retry in between', [attempt('a1'), attempt('a1'), ack('a1'), attempt('a2')], []],
  ['other lines', [attempt('a1'), attempt('b1'), ack('b1')], []],
  ['several at once', [attempt('a1', 'b1', 'a2'), ack('a1', 'b1', 'a2'), attempt('a3')], []],
  ['one twice', [attempt('a1'), ack('a1'), attempt('a2'), attempt('a1'), ack('a2')], []],
  ['one before an answer', [attempt('a1'), attempt('a2'), ack('a1')], ['a2']],
  ['one after a failure', [attempt('a1'), ack('a1'), attempt('a2'), attempt('a3')], ['a3']],
  ['the wrong order at once', [attempt('a2', 'a1')], ['a2']],
])('finds %s', (_name, log, found) => {
  expect(findOvertakes(log, lines).map(({ eventId }) => eventId)).toEqual(found);
});
