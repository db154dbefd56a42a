// SPDX-License-Identifier: Apache-2.0
import { operations } from '../../../apps/api-gateway/src/route-table.ts';
import { buildDocument, type OpenApiDocument } from '../../../apps/api-gateway/src/openapi/build-document.ts';

/** Every operation of the API once, without its aliases. */
export function describeApi(): OpenApiDocument {
  const document = buildDocument(operations, { namespaceLabel: 'svc' });
  const paths = Object.fromEntries(
    Object.entries(document.paths).filter(([, item]) =>
      Object.values(item).every((operation) => operation['x-internal'] !== true),
    ),
  );
  return { ...document, paths };
}
