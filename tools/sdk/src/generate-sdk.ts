import { join } from 'node:path';
import { repoDir } from '@chainwatch/host';
import { describeApi } from './describe-api.ts';
import { writeOperations } from './write-operations.ts';
import { writeTypes } from './write-types.ts';

/** What libs/sdk has from the document: text by path. */
export async function generateSdk(): Promise<ReadonlyMap<string, string>> {
  const document = describeApi();
  const folder = join(repoDir, 'libs/sdk/src/generated');
  return new Map([
    [join(folder, 'openapi.ts'), await writeTypes(document)],
    [join(folder, 'operations.ts'), writeOperations(document)],
  ]);
}
