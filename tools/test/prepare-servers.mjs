// SPDX-License-Identifier: Apache-2.0
import { delimiter, dirname } from 'node:path';
import { prepare } from '../stack/prepare.mjs';

/**
 * Makes the machine ready for specs, which start their own servers whatever this shell points at.
 * @returns {Promise<string>} PATH with the folders of the servers that were found outside of it
 * @throws {import('../../libs/testing/src/host/setup-error.mjs').SetupError}
 */
export async function prepareServers() {
  const { natsServer, redisServer } = await prepare({ env: { ...process.env, NATS_URL: '', REDIS_URL: '' } });
  const files = [natsServer, redisServer].filter((file) => file !== undefined);
  return [process.env.PATH, ...new Set(files.map((file) => dirname(file)))].join(delimiter);
}
