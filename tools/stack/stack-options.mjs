// SPDX-License-Identifier: Apache-2.0
import { parseArgs } from 'node:util';
import { UsageError } from '../../libs/testing/src/host/setup-error.mjs';

/** @typedef {{ hasDemo: boolean, hasDevnet: boolean, portOffset: number, isDetached: boolean, isVerbose: boolean }} StackOptions */

const USAGE = 'npm start -- [--no-demo] [--no-devnet] [--port-offset N] [--detach] [--verbose]';
const PORT_OFFSET_MAX = 40_000;

/** @param {readonly string[]} args @returns {StackOptions} @throws {UsageError} */
export function parseStackOptions(args) {
  const values = readFlags(args);
  const text = values['port-offset'] ?? '0';
  const portOffset = Number(text);
  if (!/^\d{1,5}$/.test(text) || portOffset > PORT_OFFSET_MAX) {
    throw new UsageError(`expected --port-offset 0 … ${PORT_OFFSET_MAX}, got ${text || 'nothing'}: ${USAGE}`);
  }
  return {
    hasDemo: !values['no-demo'] && !values['no-devnet'],
    hasDevnet: !values['no-devnet'],
    portOffset,
    isDetached: values.detach ?? false,
    isVerbose: values.verbose ?? false,
  };
}

/** @param {readonly string[]} args */
function readFlags(args) {
  try {
    return parseArgs({
      args: [...args],
      options: {
        'no-demo': { type: 'boolean' },
        'no-devnet': { type: 'boolean' },
        'port-offset': { type: 'string' },
        detach: { type: 'boolean' },
        verbose: { type: 'boolean' },
      },
    }).values;
  } catch (error) {
    throw new UsageError(`${error instanceof Error ? error.message.split('.')[0] : error}: ${USAGE}`);
  }
}
