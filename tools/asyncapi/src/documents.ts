// SPDX-License-Identifier: Apache-2.0
import type { Audience } from '../../../apps/api-gateway/src/asyncapi/build-asyncapi.ts';

/** Where the document for whom stands. */
export const DOCUMENTS: readonly (readonly [Audience, URL])[] = [
  ['subscribers', new URL('../../../docs/asyncapi.json', import.meta.url)],
  ['services', new URL('../../../docs/asyncapi.internal.json', import.meta.url)],
];
