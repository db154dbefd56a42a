import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { repoDir } from '../../libs/host/src/repo.mjs';

/**
 * A row of deploy/services.json: one program, whose entry is apps/<name>/src/main.ts.
 *
 * @typedef {object} Service
 * @property {string} name
 * @property {'gateway' | 'worker'} component a gateway is spoken to: it has a port, a readiness probe and a Service
 * @property {number} [localPort] a gateway's port on this machine, with npm start and compose; in a container it is 8080
 * @property {number} replicas in Kubernetes; more than one is kept up while nodes are drained
 * @property {boolean} isScaled in production its number is the scaler's (scaling.yaml), else it is two
 * @property {string} cpu requested
 * @property {string} memory requested
 * @property {string} memoryMax
 */

/** @param {string} [dir] of the repository @returns {Service[]} in the order of the log's first lines */
export function readServices(dir = repoDir) {
  return JSON.parse(readFileSync(join(dir, 'deploy/services.json'), 'utf8'));
}

export const services = readServices();
export const serviceNames = services.map(({ name }) => name);
