// SPDX-License-Identifier: Apache-2.0
import { permissionsOf } from '@chainwatch/common/api-key';
import { listFamilies } from '@chainwatch/chain-registry';
import { createDatabase } from '@chainwatch/data/db';
import type { Database } from '@chainwatch/data/db';
import { startPostgres } from '@chainwatch/data/testing';
import type { PostgresHandle } from '@chainwatch/testing';
import { bootstrap } from './bootstrap.ts';

const families = listFamilies().map(({ name }) => name);

const OPERATOR_ONLY = ['api:blockchain:write', 'mgt:quota:read', 'mgt:quota:write'];

describe('bootstrap', () => {
  let postgres: PostgresHandle;
  let db: Database;
  beforeAll(async () => {
    postgres = await startPostgres();
    db = createDatabase({ url: postgres.url, applicationName: 'bootstrap-spec' });
  });
  afterAll(async () => {
    await db.close();
    await postgres.stop();
  });

  const permissionsIn = async (workspaceId: string): Promise<Record<string, string[]>> => {
    const { rows } = await db.query<{ type: string; permissions: string[] }>(
      'SELECT type, permissions FROM api_keys WHERE workspace_id = $1',
      [workspaceId],
    );
    return Object.fromEntries(rows.map(({ type, permissions }) => [type, permissions]));
  };

  it("makes one operator's workspace, also where several are made at once, and keys of the others without what is the operator's", async () => {
    const made = await Promise.all([1, 2, 3].map(() => bootstrap(db, { label: 'svc' })));
    made.push(await bootstrap(db, { label: 'svc' }));
    expect(made.map(({ isOperator }) => isOperator).sort()).toEqual([false, false, false, true]);
    const { rows } = await db.query('SELECT id FROM workspaces WHERE is_operator');
    expect(rows).toEqual([{ id: made.find(({ isOperator }) => isOperator)!.workspaceId }]);
    for (const { workspaceId, isOperator } of made) {
      const granted = (type: 'api' | 'mgt') =>
        permissionsOf(type).filter((permission) => isOperator || !OPERATOR_ONLY.includes(permission));
      expect(await permissionsIn(workspaceId)).toEqual({
        api: granted('api'),
        rpc: [...permissionsOf('rpc', families)],
        mgt: granted('mgt'),
      });
    }
  });

  it('has the database refuse a second one', async () => {
    await expect(db.query(`UPDATE workspaces SET is_operator = true WHERE NOT is_operator`)).rejects.toThrow(
      'workspaces_operator_key',
    );
    await expect(
      db.query(`INSERT INTO workspaces (name, is_operator) VALUES ('second', true)`),
    ).rejects.toThrow('workspaces_operator_key');
  });
});
