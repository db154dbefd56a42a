// SPDX-License-Identifier: Apache-2.0
import type { StatementRequest } from '../records/statement.ts';

/** What the audit log shows of a request: the number of named addresses, not each of them. */
export function shownRequest({
  address_ids: ids,
  addresses: _,
  ...shown
}: StatementRequest): Readonly<Record<string, unknown>> {
  return ids === undefined ? shown : { ...shown, address_count: ids.length };
}
