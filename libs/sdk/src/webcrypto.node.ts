// SPDX-License-Identifier: Apache-2.0
/** Node 18 has no global `crypto`; package.json chooses this file for Node alone. */
export { webcrypto } from 'node:crypto';
