// SPDX-License-Identifier: Apache-2.0
import { BaseError } from './base-error.ts';

class NodeAwayError extends BaseError {
  readonly code = 'node_away';
  readonly retryable = true;
}

describe('an error of ours', () => {
  it('has the name of its class, its code and whether to try again', () => {
    const error = new NodeAwayError('10.1.2.3 did not answer');
    expect(error).toMatchObject({ name: 'NodeAwayError', code: 'node_away', retryable: true });
    expect(error).not.toHaveProperty('cause');
    expect(error).not.toHaveProperty('publicMessage');
  });

  it('keeps its cause and what may be shown', () => {
    const cause = new Error('ECONNREFUSED');
    const error = new NodeAwayError('10.1.2.3 did not answer', { cause, publicMessage: 'no answer' });
    expect(error).toMatchObject({ message: '10.1.2.3 did not answer', publicMessage: 'no answer' });
    expect(error.cause).toBe(cause);
  });
});
