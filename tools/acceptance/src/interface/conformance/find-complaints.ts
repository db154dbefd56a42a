// SPDX-License-Identifier: Apache-2.0
import { UncheckedClaimError, type Check } from './check.ts';
import { findChecks } from './find-checks.ts';
import type { Ground } from './ground.ts';
import type { Row, Table } from './read-tables.ts';
import { readSpecification } from './specification.ts';
import type { Alteration } from './alterations.ts';

/** What is wrong with a row, in words; empty when the stack does what it says. */
export async function findComplaints(ground: Ground, table: Table, row: Row): Promise<string[]> {
  try {
    return await findFaults(ground, findChecks(table, row) ?? []);
  } catch (error) {
    if (error instanceof UncheckedClaimError) return [error.message];
    throw error;
  }
}

/** What is wrong with what checks say, in words. */
export async function findFaults(ground: Ground, checks: readonly Check[]): Promise<string[]> {
  const faults: string[] = [];
  for (const { says, prove } of checks)
    await prove(ground).catch(
      (error: unknown) =>
        void faults.push(`${says}: ${error instanceof Error ? error.message : String(error)}`),
    );
  return faults;
}

/** The complaints about the rows that another text of the specification has and this one has not. */
export async function findComplaintsAbout(ground: Ground, { from, to }: Alteration): Promise<string[]> {
  const { text } = ground.specification;
  if (!text.includes(from)) throw new Error(`expected a specification with "${from}"`);
  const specification = readSpecification(text.replace(from, to));
  const lines = new Set(text.split('\n'));
  const altered = specification.text
    .split('\n')
    .flatMap((line, index) => (lines.has(line) ? [] : [index + 1]));
  const found = await Promise.all(
    specification.tables.flatMap((table) =>
      table.rows
        .filter(({ line }) => altered.includes(line))
        .map((row) => findComplaints({ ...ground, specification }, table, row)),
    ),
  );
  return found.flat();
}
