// SPDX-License-Identifier: Apache-2.0
import { judgeError } from './evm-rpc.ts';

const judge = (message: string): string => judgeError({ code: -32000, message });

describe('the text of an error of a node', () => {
  it.each([
    ['Your app has exceeded its compute units per second capacity', 'busy'],
    ['capacity of your plan was exceeded', 'busy'],
    ['header not found', 'unable'],
    ['execution reverted: header not found', 'answer'],
  ])('%s', (message, verdict) => expect(judge(message)).toBe(verdict));

  it('is looked at so far and no further, however long it is', () => {
    const far = 'x'.repeat(1_024);
    expect(
      ['too many requests', 'header not found'].flatMap((text) => [
        judge(`${far.slice(text.length)}${text}`),
        judge(`${far.slice(text.length - 1)}${text}`),
      ]),
    ).toEqual(['busy', 'answer', 'unable', 'answer']);
  });

  it('is not gone through again from each word that begins like one', () => {
    // The distance is bounded: from each "capacity" so many letters are read, not all that follow.
    expect([80, 81].map((distance) => judge(`capacity ${' '.repeat(distance)}exceeded`))).toEqual([
      'busy',
      'answer',
    ]);
  });
});
