import { SetupError } from './setup-error.mjs';

const NODE_MIN = [20, 19];

/** @param {string} [version] @throws {SetupError} when Node is older than the packages support */
export function checkNode(version = process.versions.node) {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  if (major > NODE_MIN[0] || (major === NODE_MIN[0] && minor >= NODE_MIN[1])) return;
  throw new SetupError(`chainwatch needs Node ${NODE_MIN.join('.')} or newer, this is ${version}: install a newer Node and run the command again.`);
}
