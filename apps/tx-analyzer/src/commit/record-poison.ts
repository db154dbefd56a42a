// SPDX-License-Identifier: Apache-2.0
import type { Sql } from '@chainwatch/data/db';
import { setAside, type Poison } from '@chainwatch/data/quarantine';
import type { ChainContext } from '../model/chain-context.ts';
import type { SetAsideKey } from '../model/set-asides.ts';

/** Names in an open transaction the transactions that are set aside from now on. */
export function recordPoison(
  sql: Sql,
  { gid }: Pick<ChainContext, 'gid'>,
  poison: readonly Poison<SetAsideKey>[],
): Promise<void> {
  const items = poison.map(({ item: { block, hash, projectId }, error }) => ({
    ...{ step: 'analysis', projectId, block, error },
    subject: { type: 'transaction' as const, id: hash },
  }));
  return setAside(sql, gid, items);
}
