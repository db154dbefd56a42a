// SPDX-License-Identifier: Apache-2.0
import { join } from 'node:path';
import { describeApi } from './describe-api.ts';
import { writeCatalogue } from './write-catalogue.ts';
import { writeOperations } from './write-operations.ts';
import { writeTypes } from './write-types.ts';

/** What libs/sdk has from the document: text by path. */
export async function generateSdk(): Promise<ReadonlyMap<string, string>> {
  const document = describeApi();
  // Beside this file, also in a copy of the repository whose packages are links to this one.
  const folder = join(import.meta.dirname, '../../../libs/sdk/src/generated');
  return new Map([
    [join(folder, 'openapi.ts'), await writeTypes(document)],
    [join(folder, 'operations.ts'), writeOperations(document)],
    [join(folder, 'catalogue.ts'), writeCatalogue(document)],
  ]);
}
