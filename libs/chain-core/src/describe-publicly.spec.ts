// SPDX-License-Identifier: Apache-2.0
import { BaseError } from '@chainwatch/common/problem';
import { ChainClientError, describePublicly } from './errors.ts';

class FeedGapError extends BaseError {
  readonly code = 'feed_gap';
  readonly retryable = true;
}

describe('what API clients are told of a failure', () => {
  it("is an error's public message, where it has one", () => {
    expect(
      describePublicly(
        new ChainClientError('connect ECONNREFUSED 10.1.2.3:8545', {
          publicMessage: 'the node did not answer',
        }),
      ),
    ).toBe('the node did not answer');
    expect(describePublicly(new FeedGapError('10.1.2.3 is blocked', { publicMessage: 'blocked' }))).toBe(
      'blocked',
    );
  });

  it('is what an error of ours says', () => {
    expect(describePublicly(new FeedGapError('expected 5, got 7'))).toBe('FeedGapError: expected 5, got 7');
  });

  it.each([
    new Error('connect ECONNREFUSED 10.1.2.3:5432'),
    Object.assign(new Error('10.1.2.3'), { retryable: true }),
    'postgres://user:pw@db',
    undefined,
  ])('never shows a driver or a host: %s', (error) => {
    expect(describePublicly(error)).toBe('an internal fault, the log of the service tells more');
  });
});
