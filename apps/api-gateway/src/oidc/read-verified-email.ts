// SPDX-License-Identifier: Apache-2.0
import { z } from 'zod';
import { emailSchema } from '../records/member.ts';
import { SignInError } from './sign-in-error.ts';

/**
 * Checked before it is lower-cased: otherwise the Kelvin sign would become a k and match somebody else's address.
 */
const claimsSchema = z.object({
  email: z.email().max(254),
  email_verified: z.literal(true),
});

/** The address that the issuer vouches for, in lower case as members have it. @throws SignInError */
export function readVerifiedEmail(claims: object): string {
  const read = claimsSchema.safeParse(claims);
  if (read.success) return emailSchema.parse(read.data.email);
  const names = read.error.issues.map(({ path }) => String(path[0]));
  throw new SignInError(
    'unverified_email',
    `expected email and email_verified: true among the issuer's claims, got others in ${[...new Set(names)].join(', ')}`,
  );
}
