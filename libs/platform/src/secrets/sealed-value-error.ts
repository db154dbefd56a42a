// SPDX-License-Identifier: Apache-2.0
import { BaseError } from '@chainwatch/common/problem';

export type SealedValueProblem = 'malformed' | 'unknown_key' | 'tampered';

const TEXTS: Readonly<Record<SealedValueProblem, string>> = {
  malformed: 'the sealed value does not have the form v1.<key id>.<data key>.<iv>.<ciphertext>',
  unknown_key: 'the key that sealed the value is not configured: add it to SECRETS_KEYS',
  tampered:
    'the sealed value was changed, belongs to another record, or its key is a different one of the same id',
};

/** A sealed value that cannot be opened. Holds neither the value nor a key. */
export class SealedValueError extends BaseError {
  readonly code = 'sealed_value';
  readonly retryable = false;
  readonly problem: SealedValueProblem;
  constructor(problem: SealedValueProblem, keyId?: string) {
    super(keyId === undefined ? TEXTS[problem] : `${TEXTS[problem]} (key ${keyId})`);
    this.problem = problem;
  }
}
