// SPDX-License-Identifier: Apache-2.0
import { setImmediate as yieldToOthers } from 'node:timers/promises';
import type { Sql } from '@chainwatch/data/db';
import type { Principal } from '@chainwatch/data/key-store';
import { listFormsByFamily } from './parse-address.ts';

/** Addresses that are parsed in one go: the event loop has others to serve. */
const AT_ONCE = 25;

interface Found {
  readonly id: string;
  readonly display: string;
}

/** The project's addresses by any form that their family reads, as `findAddress` finds one; absent: it has none. */
export async function findAddresses(
  sql: Sql,
  { projectId }: Principal,
  inputs: readonly string[],
): Promise<ReadonlyMap<string, Found>> {
  const forms = new Map<string, readonly (readonly [family: string, address: string])[]>();
  for (const input of inputs) {
    if (forms.size % AT_ONCE === AT_ONCE - 1) await yieldToOthers();
    if (!forms.has(input)) forms.set(input, await listFormsByFamily(input));
  }
  const all = [...forms.values()].flat();
  const { rows } = await sql.query<Found & { chain_family: string; address: string }>(
    `SELECT a.id, a.display, a.chain_family, a.address FROM unnest($2::text[], $3::text[]) AS f (family, address)
     JOIN addresses a ON a.project_id = $1 AND a.chain_family = f.family AND a.address = f.address`,
    [projectId, all.map(([family]) => family), all.map(([, address]) => address)],
  );
  const byForm = new Map(rows.map((row) => [`${row.chain_family} ${row.address}`, row]));
  const found = new Map<string, Found>();
  for (const [input, ofInput] of forms) {
    const row = ofInput.map((form) => byForm.get(form.join(' '))).find((each) => each !== undefined);
    if (row !== undefined) found.set(input, { id: row.id, display: row.display });
  }
  return found;
}
