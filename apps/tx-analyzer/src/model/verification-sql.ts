// SPDX-License-Identifier: Apache-2.0
/**
 * What stands behind the transaction of a row; rows of the release before have no verification of their own.
 *
 * @param prefix of the columns, as `t.`
 */
export const verificationSql = (prefix = ''): string =>
  `coalesce(${prefix}verification, CASE WHEN ${prefix}is_unproved THEN 'unproved' ELSE 'proved' END)`;
