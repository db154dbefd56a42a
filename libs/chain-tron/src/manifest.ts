// SPDX-License-Identifier: Apache-2.0
import type { FamilyManifest } from '@chainwatch/chain-core';
import { TRON_INTERFACES } from './interfaces.ts';
import { tronCatalogue } from './networks.ts';
import { tronCalendar } from './upgrades.ts';

export const tronManifest: FamilyManifest = {
  name: 'tron',
  displayName: 'TRON',
  namespace: 'tron',
  catalogue: tronCatalogue,
  proofsOf: () => ['header_hash', 'transactions_root'],
  calendar: tronCalendar,
  assetNamespaces: ['trc20', 'trc10'],
  interfaces: TRON_INTERFACES,
  normalizeReference,
};

const REFERENCES: ReadonlyMap<string, string> = new Map([
  ['mainnet', '0x2b6653dc'],
  ['shasta', '0x94a9059e'],
  ['nile', '0xcd8690dc'],
]);

/** Decimal and named references become the hexadecimal one. */
function normalizeReference(reference: string): string {
  const lower = reference.toLowerCase();
  if (/^\d{1,20}$/.test(lower)) return `0x${BigInt(lower).toString(16)}`;
  return REFERENCES.get(lower) ?? lower;
}
