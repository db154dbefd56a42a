// SPDX-License-Identifier: Apache-2.0
import { SetupError } from '../../libs/testing/src/host/setup-error.mjs';

const NODE_MIN = { major: 20, minor: 19 };

/** @param {string} [version] @throws {SetupError} when Node is older than the packages support */
export function checkNode(version = process.versions.node) {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  if (major > NODE_MIN.major || (major === NODE_MIN.major && minor >= NODE_MIN.minor)) return;
  throw new SetupError(
    `chainwatch needs Node ${NODE_MIN.major}.${NODE_MIN.minor} or newer, this is ${version}: install a newer Node and run the command again.`,
  );
}
