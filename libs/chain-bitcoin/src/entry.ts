// SPDX-License-Identifier: Apache-2.0
import type { FamilyEntry } from '@chainwatch/chain-core';
import { bitcoinManifest } from './manifest.ts';

/** The line of @chainwatch/chain-registry: the family's code is loaded on first use. */
export const bitcoin: FamilyEntry = {
  ...bitcoinManifest,
  load: async () => (await import('./index.ts')).bitcoinFamily,
};
