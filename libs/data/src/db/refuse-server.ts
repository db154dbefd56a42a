// SPDX-License-Identifier: Apache-2.0
import { BaseError } from '@chainwatch/common/problem';

/** The database server is none that this product works on. */
export class ServerRefusedError extends BaseError {
  readonly code = 'server_refused';
  readonly retryable = false;
  constructor(server: string, reason: string) {
    super(`expected PostgreSQL, got ${server}: ${reason}. Use a PostgreSQL server (docs/guides/deploy.md)`);
  }
}

/** Servers that speak PostgreSQL's protocol, and what they lack that the product stands on. */
const REFUSED = [
  {
    name: 'CockroachDB',
    isIt: ({ version }: Server) => version.startsWith('CockroachDB'),
    reason: 'it has no partitions with triggers and no advisory locks',
  },
  {
    name: 'YugabyteDB',
    isIt: ({ version }: Server) => /-YB-/.test(version),
    reason: 'its transactions end with errors where PostgreSQL waits for a row',
  },
  {
    name: 'Citus',
    isIt: ({ extensions }: Server) => extensions.includes('citus'),
    reason: 'one transaction changes rows of all projects, which sharding tears apart',
  },
] as const;

interface Server {
  /** As `version()` tells it. */
  readonly version: string;
  readonly extensions: readonly string[];
}

/** What is asked of a session: one of a pool, or the client that migrates. */
interface Session {
  query<T extends object>(text: string): Promise<{ rows: T[] }>;
}

/** @throws ServerRefusedError before anything is done with it */
export async function refuseServer(session: Session): Promise<void> {
  const { rows } = await session.query<Server>(
    'SELECT version() AS version, ARRAY(SELECT extname::text FROM pg_extension) AS extensions',
  );
  const refused = REFUSED.find(({ isIt }) => isIt(rows[0]!));
  if (refused !== undefined) throw new ServerRefusedError(refused.name, refused.reason);
}
