// SPDX-License-Identifier: Apache-2.0
/**
 * What specs and tools need of the machine they run on: the clone's folder, commands, and the PostgreSQL that npm brings.
 * The plain JavaScript files run before anything is installed.
 *
 * @example
 * const { spec, url } = await preparePostgres({ port: 5432, dataDir: '/tmp/data', password: 'secret' });
 */
export { preparePostgres, type PostgresOptions, type PostgresServer } from './postgres-server.ts';
export { isReachable, SHARED_DIR } from './postgres-binaries.ts';
export { findExecutable } from './find-executable.mjs';
export { findPostgresAccount, type PostgresAccount } from './postgres-account.ts';
export type { ProcessSpec } from './process-spec.ts';
export { distDir, readCommit, repoDir, stateDir } from './repo.mjs';
export { runCommand } from './run-command.mjs';
export { exitWith, SetupError, UsageError } from './setup-error.mjs';
