// SPDX-License-Identifier: Apache-2.0
import { z } from 'zod';

const text = z.string().min(1).max(1_024);

/** Write-only: reads show the type alone. May only be widened, because it reads the sealed credentials of every release. */
const userAuthSchema = z
  .discriminatedUnion('type', [
    z
      .strictObject({ type: z.literal('none').meta({ description: 'No credentials.' }) })
      .meta({ id: 'UserAuthNone' }),
    z
      .strictObject({
        type: z.literal('user').meta({ description: 'A user and its password.' }),
        username: text.meta({ description: 'The user.', examples: ['chainwatch'] }),
        password: text.meta({ description: 'Its password.', examples: ['correct horse'] }),
      })
      .meta({ id: 'UserAuthPassword' }),
  ])
  .meta({ id: 'UserAuth' });
export type UserAuth = z.infer<typeof userAuthSchema>;

/** The member of a request. */
export const userAuthInput = userAuthSchema
  .optional()
  .meta({ description: 'Credentials for the server, write-only.' });

/** The member that is stored and shown. */
export const userAuthStored = z
  .object({ type: z.enum(['none', 'user']).meta({ description: 'Kind of credentials.' }) })
  .meta({ description: 'Which credentials are stored; they themselves are not shown.' });

/** What is sealed. */
export const userCredentials = z.object({ auth: userAuthSchema.default({ type: 'none' }) });

export const sealUser = ({ auth }: { readonly auth?: UserAuth }) =>
  auth === undefined || auth.type === 'none' ? null : { auth };

export const maskUser = ({ auth }: { readonly auth?: UserAuth }): { auth: { type: 'none' | 'user' } } => ({
  auth: { type: auth?.type ?? 'none' },
});
