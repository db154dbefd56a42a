// SPDX-License-Identifier: Apache-2.0
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { repoDir } from '../../libs/testing/src/host/repo.mjs';

/**
 * A row of deploy/services.json: one program, whose entry is apps/<name>/src/main.ts.
 *
 * @typedef {object} Service
 * @property {string} name
 * @property {'gateway' | 'worker'} component a gateway is spoken to: it has a port, a readiness probe and a Service
 * @property {number} [localPort] a gateway's port on this machine, with npm start and compose; in a container it is 8080
 * @property {number} replicas in Kubernetes
 * @property {boolean} isScaled in production its number is the scaler's (addons/keda), else it is two
 * @property {'customers'} [dials] whose addresses; default the nodes of chains, for which alone OUTBOUND_ALLOW is
 * @property {true} [mails] it has to know the mail server: SMTP_URL
 * @property {true} [signsIn] it has to know who vouches for people: OIDC_ISSUER
 * @property {true} [signs] it signs statements: STATEMENT_KEY
 * @property {true} [readsStandby] it reads lists from a standby: DATABASE_READ_URL
 * @property {string} cpu requested
 * @property {string} [cpuLoaded] requested in production, of one that is scaled: its scaler's utilization refers to it
 * @property {string} memory requested
 * @property {string} memoryMax
 */

/** @param {string} [dir] of the repository @returns {Service[]} in the order of the log's first lines */
export function readServices(dir = repoDir) {
  return JSON.parse(readFileSync(join(dir, 'deploy/services.json'), 'utf8'));
}

export const services = readServices();
export const serviceNames = services.map(({ name }) => name);
