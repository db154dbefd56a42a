// SPDX-License-Identifier: Apache-2.0
import { checkNode } from './check-node.mjs';
import { installBitcoinNode } from './install-bitcoin-node.mjs';
import { installPackages } from './install-packages.mjs';
import { generatePrismaClient } from './generate-prisma-client.mjs';
import { findServers } from './find-servers.mjs';

/**
 * Brings a fresh clone to the point where everything else can be imported: packages, generated code, servers. Plain
 * JavaScript with nothing but `node:` imports, because nothing is installed yet. Doing it again costs milliseconds.
 *
 * @param {{ env?: NodeJS.ProcessEnv, hasDevnet?: boolean }} [options] without devnet the nodes of the local chains stay out
 * @returns {Promise<{ natsServer: string | undefined, redisServer: string | undefined }>} paths of the server binaries,
 *   undefined where NATS_URL or REDIS_URL names a running server
 * @throws {import('../../libs/testing/src/host/setup-error.mjs').SetupError} one sentence that says what to do
 */
export async function prepare({ env = process.env, hasDevnet = true } = {}) {
  checkNode();
  await installPackages();
  if (hasDevnet && !env.CHAINWATCH_DEVNET_BITCOIN_URL) await installBitcoinNode();
  await generatePrismaClient();
  return findServers(env);
}
