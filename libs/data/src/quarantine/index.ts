// SPDX-License-Identifier: Apache-2.0
/**
 * Sets aside what one item makes impossible, so that the rest goes on (invariant 14): finds the item, names it by an
 * incident, and says when it is tried again. Used by every worker that does the work of many tenants together.
 *
 * @example
 * if (!isItemFault(error)) throw error;
 * const poison = await findPoison(items, (some) => rehearse(some));
 * await setAside(sql, chainGid, poison.map(({ item, error }) => ({ step: 'balances', subject: item, error })));
 */
export {
  describeFault,
  endRehearsal,
  endSetAside,
  findPoison,
  isItemFault,
  isSetAsideSql,
  rehearse,
  RETRY_EVERY,
  retryAll,
  setAside,
  type Poison,
  type SetAside,
} from './quarantine.ts';
