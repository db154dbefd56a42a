import { operations } from '../../../apps/api-gateway/src/route-table.ts';
import { buildDocument, type OpenApiDocument } from '../../../apps/api-gateway/src/openapi/build-document.ts';

/** `/channels` is a second name of `/notification_channels`, with the same handlers. */
const SECOND_NAME = '/channels';

/** Every operation of the API once, under its first name. */
export function describeApi(): OpenApiDocument {
  const document = buildDocument(operations, { namespaceLabel: 'svc' });
  const paths = Object.fromEntries(
    Object.entries(document.paths).filter(([path]) => path.split('/')[1] !== SECOND_NAME.slice(1)),
  );
  return { ...document, paths };
}
