// SPDX-License-Identifier: Apache-2.0
import { uiMultiplierAt, type UiMultiplier } from '@chainwatch/chain-core';

/** What wallets multiply the amounts of a token with at this moment; undefined where it has no such number. */
export function currentMultiplier(stored: UiMultiplier | null): string | undefined {
  return stored === null ? undefined : uiMultiplierAt(stored, Date.now() / 1000);
}
