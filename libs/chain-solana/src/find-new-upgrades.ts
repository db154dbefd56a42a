// SPDX-License-Identifier: Apache-2.0
import { isActiveUpgrade, type NodeUpgrade, type Upgrade } from '@chainwatch/chain-core';
import { readAccounts, type ChainAccount } from './read-accounts.ts';
import type { Session } from './session.ts';

const FEATURE_PROGRAM = 'Feature111111111111111111111111111111111111';
/** Layout of a feature account: whether it is active (u8), and the slot since when (u64, little-endian). */
const FEATURE_BYTES = 9;

/** Upgrades of `known` whose feature account is active although their row has no past date. */
export async function findNewUpgrades(
  session: Session,
  {
    known,
    nowMs,
    signal,
  }: { readonly known: readonly Upgrade[]; readonly nowMs: number; readonly signal?: AbortSignal },
): Promise<readonly NodeUpgrade[]> {
  const asked = known
    .filter((row) => !isActiveUpgrade(row, nowMs))
    .flatMap(({ name, signals }) => signals.map((key) => ({ name, key })));
  if (asked.length === 0) return [];
  const accounts = await readAccounts(
    session,
    asked.map(({ key }) => key),
    { signal },
  );
  return asked.flatMap(({ name }, index) => {
    const slot = findActivation(accounts[index]?.value ?? null);
    return slot === undefined ? [] : [{ name, isActive: true, at: `slot ${slot}` }];
  });
}

function findActivation(account: ChainAccount | null): bigint | undefined {
  if (account === null || account.owner !== FEATURE_PROGRAM) return undefined;
  const { data } = account;
  if (data.length < FEATURE_BYTES || data[0] !== 1) return undefined;
  return new DataView(data.buffer, data.byteOffset).getBigUint64(1, true);
}
