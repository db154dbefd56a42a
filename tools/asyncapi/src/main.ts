// SPDX-License-Identifier: Apache-2.0
/** `node --import tsx tools/asyncapi/src/main.ts` writes the two documents; asyncapi.spec.ts proves that they are current. */
import { writeFileSync } from 'node:fs';
import { buildAsyncApi } from '../../../apps/api-gateway/src/asyncapi/build-asyncapi.ts';
import { DOCUMENTS } from './documents.ts';

for (const [audience, path] of DOCUMENTS)
  writeFileSync(path, `${JSON.stringify(buildAsyncApi(audience), undefined, 2)}\n`);
