// SPDX-License-Identifier: Apache-2.0
import { BaseError } from '@chainwatch/common/problem';

/** What the sign-in page tells the person; it says nothing that others could use. */
type SignInReason =
  | 'cancelled'
  | 'expired'
  | 'refused'
  | 'unverified_email'
  | 'unknown_member'
  | 'issuer_away';

/** Nobody is signed in. The message is for the operator's log: it holds no token, code or address. */
export class SignInError extends BaseError {
  readonly code = 'sign_in_refused';
  readonly retryable = false;
  readonly reason: SignInReason;
  constructor(reason: SignInReason, message: string) {
    super(message);
    this.reason = reason;
  }
}
