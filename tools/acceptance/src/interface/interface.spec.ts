// SPDX-License-Identifier: Apache-2.0
import { ADDITIVE_ROUTES, additiveChecks } from './conformance/additive-routes.ts';
import { ALTERATIONS } from './conformance/alterations.ts';
import { findChecks } from './conformance/find-checks.ts';
import { findComplaints, findComplaintsAbout, findFaults } from './conformance/find-complaints.ts';
import { layGround, type Ground } from './conformance/ground.ts';
import type { Table } from './conformance/read-tables.ts';
import { readSpecification } from './conformance/specification.ts';
import { runFuzz } from './fuzz/run-fuzz.ts';
import { InterfaceStack } from './interface-stack.ts';

const FUZZ_REQUESTS = Number(process.env.FUZZ_REQUESTS ?? 2_000);
const SEED = Number(process.env.FUZZ_SEED ?? Math.floor(Math.random() * 2 ** 31));

const specification = readSpecification();

describe('the running stack', () => {
  const stack = new InterfaceStack();
  let ground: Ground;
  beforeAll(async () => {
    await stack.start();
    ground = await layGround(stack, specification);
  });
  afterAll(async () => {
    await ground?.stop();
    await stack.stop();
  });

  // One of the limits is half a minute: it runs while everything else is looked at.
  const [limits, others] = [true, false].map((isLimit) =>
    specification.tables.filter(({ columns }) => columns.includes('Limit') === isLimit),
  ) as [Table[], Table[]];
  proveRows(others);

  it('reads every row of every table, and finds checks in all but those that are about others', () => {
    const lines = specification.text.split('\n').filter((line) => line.startsWith('|'));
    const rows = specification.tables.flatMap((table) => table.rows.map((row) => findChecks(table, row)));
    // Two lines of each table are its head.
    expect(rows).toHaveLength(lines.length - 2 * specification.tables.length);
    const checks = rows.flatMap((found) => found ?? []);
    console.log(
      `${specification.tables.length} tables, ${rows.length} rows, ${checks.length} checks; ${rows.filter((found) => found === undefined).length} rows about others`,
    );
    expect(checks.length).toBeGreaterThan(rows.length);
  });

  it.each(ALTERATIONS.map((alteration) => [alteration.from, alteration.to, alteration] as const))(
    'would not do what a specification says that has for %s: %s',
    async (_from, _to, alteration) => {
      expect(await findComplaintsAbout(ground, alteration)).toContainEqual(
        expect.stringMatching(alteration.complaint),
      );
    },
  );

  it.each(
    ADDITIVE_ROUTES.map(
      (route) =>
        [
          route.method,
          `${route.path}${route.accept === undefined ? '' : ` as ${route.accept}`}`,
          route,
        ] as const,
    ),
  )('has %s %s besides, guarded as the others are', async (_method, _path, route) => {
    expect(await findFaults(ground, additiveChecks(route))).toEqual([]);
  });

  it(`answers ${FUZZ_REQUESTS} hostile requests over the OpenAPI document with nothing but what it says`, async () => {
    const startedAt = Date.now();
    // Hostile requests reach the operations on chains, too.
    await stack.letOperate(stack.fuzzedTenant);
    const { sent, statuses, faults } = await runFuzz(stack, { count: FUZZ_REQUESTS, seed: SEED });
    console.log(
      `seed ${SEED}: ${sent} requests in ${((Date.now() - startedAt) / 1_000).toFixed(1)} s, ${JSON.stringify(statuses)}`,
    );
    await stack.letOperate(stack.tenant);
    expect(faults).toEqual([]);
    expect(sent).toBeGreaterThanOrEqual(FUZZ_REQUESTS);
    // Neither all refused at the door, nor all let through.
    if (FUZZ_REQUESTS >= 1_000)
      for (const status of [200, 201, 204, 400, 401, 403, 404, 405, 409, 413, 415, 422])
        expect(statuses[status]).toBeGreaterThan(0);
  }, 1_800_000);

  proveRows(limits);

  function proveRows(tables: readonly Table[]): void {
    describe.each(
      tables.map(
        (table) =>
          [[...table.headings.slice(1), table.lead].filter((part) => part !== '').join(', '), table] as const,
      ),
    )('does what the interface specification says: %s', (_name, table) => {
      it.each(table.rows.map((row) => [row.line, Object.values(row.cells).join(' | '), row] as const))(
        'line %i: %s',
        async (_line, _text, row) => {
          expect(await findComplaints(ground, table, row)).toEqual([]);
        },
      );
    });
  }
});
