// SPDX-License-Identifier: Apache-2.0
import { z } from 'zod';
import { defineRoute } from '../../define-route.ts';

const versionSchema = z
  .object({
    name: z.string().meta({ description: 'Of the service.', examples: ['chainwatch'] }),
    version: z.string().meta({ description: 'Of the software.', examples: ['0.2.0'] }),
    api_version: z.literal('v1').meta({ description: 'Of the API: the segment of its paths.' }),
    commit: z.string().meta({ description: 'The commit it was built from.', examples: ['798728f'] }),
    built_at: z.string().meta({
      description: 'When it was built; `unknown` where it runs from the sources.',
      examples: ['2026-01-01T00:00:00.000Z'],
    }),
    signature_versions: z
      .array(z.literal('v1'))
      .meta({ description: 'Versions of webhook signatures that deliveries carry.', examples: [['v1']] }),
  })
  .meta({ id: 'Version' });

export const getVersion = defineRoute({
  method: 'GET',
  path: '/version',
  permission: 'any',
  summary: 'Version of the service',
  responses: { 200: versionSchema },
  handle: async (_request, { settings }) => ({
    status: 200,
    body: {
      name: settings.version.name,
      version: settings.version.version,
      api_version: 'v1',
      commit: settings.version.commit,
      built_at: settings.version.builtAt,
      signature_versions: ['v1'],
    } satisfies z.infer<typeof versionSchema>,
  }),
});
