// SPDX-License-Identifier: Apache-2.0
import { startSpecWorld, type SpecWorld } from '../spec-support/spec-world.ts';
import { timeOf } from '../spec-support/statement-ledger.ts';
import { composeStatement } from './compose-statement.ts';
import { StatementImpossibleError } from './statement-errors.ts';

let world: SpecWorld;
beforeAll(async () => {
  world = await startSpecWorld();
});
afterAll(() => world.stop());

it('is refused as a whole where a group has grown to more addresses than a statement may have', async () => {
  const { projectId } = world.project;
  await world.db.query(
    `INSERT INTO addresses (project_id, chain_family, address, display, kind, format, groups)
     SELECT $1, 'evm', a, a, 'external', 'evm', '{grown}' FROM (SELECT '0x' || lpad(to_hex(n), 40, '0') AS a FROM generate_series(1, 10001) n) s`,
    [projectId],
  );
  const lines: string[] = [];
  const composing = composeStatement({
    db: world.db,
    statement: {
      ...{ id: projectId, projectId, format: 'ndjson', attempt: 1 },
      request: { group: 'grown', chain_gids: null, from: timeOf(10), to: timeOf(30) },
    },
    signal: new AbortController().signal,
    progress: { addresses: 0, movements: 0, gaps: 0, unexplained: 0 },
    emit: async ({ type }) => void lines.push(type),
  });
  await expect(composing).rejects.toThrow(
    new StatementImpossibleError(
      'The statement has more than 10,000 addresses: ask for fewer, by group or by name.',
    ),
  );
  expect(lines).toEqual([]);
});
