/** `node --import tsx tools/asyncapi/src/main.ts` writes docs/asyncapi.json; asyncapi.spec.ts proves that it is current. */
import { writeFileSync } from 'node:fs';
import { buildAsyncApi } from './build-asyncapi.ts';

writeFileSync(
  new URL('../../../docs/asyncapi.json', import.meta.url),
  `${JSON.stringify(buildAsyncApi(), undefined, 2)}\n`,
);
