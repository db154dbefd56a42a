import type { FamilyEntry } from '@chainwatch/chain-core';
import { toyManifest } from './manifest.ts';

export const toy: FamilyEntry = {
  ...toyManifest,
  load: async () => (await import('./index.ts')).toyFamily,
};
