import { z } from 'zod';
import { defineRoute } from '../../define-route.ts';

const versionSchema = z.object({
  name: z.string(),
  version: z.string(),
  api_version: z.literal('v1'),
  commit: z.string(),
  built_at: z.string(),
  signature_versions: z.array(z.literal('v1')),
});

export const getVersion = defineRoute({
  method: 'GET',
  path: '/version',
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
