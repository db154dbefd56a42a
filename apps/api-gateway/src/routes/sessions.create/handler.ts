// SPDX-License-Identifier: Apache-2.0
import { z } from 'zod';
import { unprocessableEntity } from '@chainwatch/common/problem';
import { describeSession } from '../../auth/describe-session.ts';
import { makeSessionCookie } from '../../auth/session-cookie.ts';
import { sessionSchema } from '../../records/session.ts';
import { defineRoute } from '../../define-route.ts';

export const createSession = defineRoute({
  method: 'POST',
  path: '/session',
  permission: 'any',
  summary: 'Sign a browser in with the key of the request: the answer sets the cookie, for 12 hours',
  headers: z.object({
    'x-api-key': z.string().meta({
      description: 'An api key or a management key. A session makes no other one.',
      examples: ['svc_api_0123456789ABCDEFGHIJKLMN2YbPlI'],
    }),
  }),
  responses: { 201: sessionSchema },
  handle: async ({ headers, principal }, deps) => {
    if (principal.keyType === 'rpc')
      throw unprocessableEntity(
        'Keys of the RPC gateway open no dashboard: expected an api key or a management key.',
      );
    return {
      status: 201,
      body: await describeSession(deps, principal),
      location: '/session',
      cookie: makeSessionCookie(deps.sealer, headers['x-api-key']),
    };
  },
});
