// SPDX-License-Identifier: Apache-2.0
/** `node --import tsx tools/sdk/src/main.ts` writes libs/sdk/src/generated; generate-sdk.spec.ts proves that it is current. */
import { writeFileSync } from 'node:fs';
import { generateSdk } from './generate-sdk.ts';

for (const [path, text] of await generateSdk()) writeFileSync(path, text);
