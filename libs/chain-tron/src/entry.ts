// SPDX-License-Identifier: Apache-2.0
import type { FamilyEntry } from '@chainwatch/chain-core';
import { tronManifest } from './manifest.ts';

/** The line of @chainwatch/chain-registry: the family's code is loaded on first use. */
export const tron: FamilyEntry = {
  ...tronManifest,
  load: async () => (await import('./index.ts')).tronFamily,
};
