import { ChainClientError, describePublicly } from './errors.ts';

describe('what API clients are told of a failure', () => {
  it("is an error's public message, where it has one", () => {
    expect(
      describePublicly(
        new ChainClientError('connect ECONNREFUSED 10.1.2.3:8545', {
          publicMessage: 'the node did not answer',
        }),
      ),
    ).toBe('the node did not answer');
    expect(
      describePublicly(
        Object.assign(new Error('10.1.2.3 is blocked'), { retryable: false, publicMessage: 'blocked' }),
      ),
    ).toBe('blocked');
  });

  it('is what an error of ours says', () => {
    expect(
      describePublicly(
        Object.assign(new Error('expected 5, got 7'), { name: 'FeedGapError', retryable: true }),
      ),
    ).toBe('FeedGapError: expected 5, got 7');
  });

  it.each([new Error('connect ECONNREFUSED 10.1.2.3:5432'), 'postgres://user:pw@db', undefined])(
    'never shows a driver or a host: %s',
    (error) => {
      expect(describePublicly(error)).toBe('an internal fault, the log of the service tells more');
    },
  );
});
