// SPDX-License-Identifier: Apache-2.0
import { EvmChain } from '../evm/evm-chain.ts';
import { Harness } from '../harness.ts';

const chain = new EvmChain({ epochBlocks: 8 });
const harness = new Harness(chain, { hasOwnPostgres: true });

beforeAll(() => harness.start());
afterAll(() => harness.stop());

/** docs/guides/hardening.md: a login for each service, all members of the role that owns the schema. */
it('every service works with a login of its own', async () => {
  const { services, db, serviceNames, postgres } = harness;
  const { rows: owners } = await db.query<{ role: string }>('SELECT current_user AS role');
  const loginOf = (service: string): string => `spec_${service.replaceAll('-', '_')}`;
  for (const service of serviceNames) {
    await db.query(`CREATE ROLE ${loginOf(service)} LOGIN PASSWORD 'spec' IN ROLE "${owners[0]!.role}"`);
    const url = new URL(postgres.url);
    [url.username, url.password] = [loginOf(service), 'spec'];
    // Its leases belong to another login: they are waited for, nobody ends its sessions.
    await services.kill(service);
    await services.start([service], { DATABASE_URL: url.href });
  }
  await harness.watch(chain.payee);
  await chain.payPayee();
  await chain.mine();
  await harness.settle();
  expect(harness.receiver.events.size).toBeGreaterThan(0);
  const { rows } = await db.query<{ usename: string; is_superuser: boolean }>(
    `SELECT DISTINCT usename, rolsuper AS is_superuser FROM pg_stat_activity JOIN pg_roles ON rolname = usename
     WHERE datname = current_database() AND usename LIKE 'spec\\_%' ORDER BY 1`,
  );
  expect(rows).toEqual(
    serviceNames
      .map((service) => ({ usename: loginOf(service), is_superuser: false }))
      .sort((a, b) => (a.usename < b.usename ? -1 : 1)),
  );
});
