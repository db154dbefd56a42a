// SPDX-License-Identifier: Apache-2.0
import { UncheckedClaimError, type Check } from './check.ts';
import { deliveryHeaderChecks, eventChecks } from './deliveries.ts';
import { endpointChecks } from './endpoints.ts';
import { errorChecks } from './errors.ts';
import { fieldChecks } from './fields.ts';
import { identifierChecks } from './identifiers.ts';
import { keyChecks } from './keys.ts';
import { limitChecks } from './limits.ts';
import type { Row, Table } from './read-tables.ts';
import { rpcErrorChecks, rpcItemChecks } from './rpc.ts';
import { rotationChecks, stateChecks } from './states.ts';

/** By the columns of the table: what each of its rows is about. */
const READERS: Readonly<Record<string, (row: Row, table: Table) => readonly Check[]>> = {
  'Name | Format': identifierChecks,
  'meta field | Type | Constraint': (row, table) => fieldChecks(table, row),
  'Field | Type | Notes': (row, table) => fieldChecks(table, row),
  'Field | Type | Required': (row, table) => fieldChecks(table, row),
  'State | Trigger | Condition | Next state | Other effects': (row, table) => stateChecks(table, row),
  'State | Trigger | Next state | Other effects': rotationChecks,
  'Method | Path | Payload': endpointChecks,
  'Method | Path | Request | Response': endpointChecks,
  'Item | Value': rpcItemChecks,
  'Type | Prefix | Scope | Used for': keyChecks,
  'Header | Content': deliveryHeaderChecks,
  'Event name | Meaning': eventChecks,
  'Status | Title | Condition': errorChecks,
  'Situation | HTTP status': rpcErrorChecks,
  'Limit | Value | Applies to': limitChecks,
};

/** Rows that say nothing about this service, word by word, and why. */
const OF_OTHERS: Readonly<Record<string, string>> = {
  'Server-error retries | at most 5 attempts, backoff capped at 30 s | clients':
    'A rule for clients: the service sends no requests to itself.',
};

/** The checks of one row; undefined for a row that is about others. @throws UncheckedClaimError for a row that this test cannot read */
export function findChecks(table: Table, row: Row): readonly Check[] | undefined {
  if (Object.values(row.cells).join(' | ') in OF_OTHERS) return undefined;
  const read = READERS[table.columns.join(' | ')];
  if (read === undefined) throw new UncheckedClaimError(`a table of ${table.columns.join(' | ')}`);
  const checks = read(row, table);
  if (checks.length === 0) throw new UncheckedClaimError(Object.values(row.cells).join(' | '));
  return checks;
}
