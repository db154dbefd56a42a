// SPDX-License-Identifier: Apache-2.0
import openapiTypescript, { astToString } from 'openapi-typescript';
import type { OpenApiDocument } from '../../../apps/api-gateway/src/openapi/build-document.ts';

const HEADER = '/** Written by tools/sdk from the OpenAPI document. Change the routes, not this file. */\n';

/** Types of every path, operation and record. */
export async function writeTypes(document: OpenApiDocument): Promise<string> {
  const nodes = await openapiTypescript(structuredClone(document) as never, {
    // A default makes a member of a body optional, whatever has a name.
    defaultNonNullable: false,
  });
  return HEADER + astToString(nodes);
}
