// SPDX-License-Identifier: Apache-2.0
import { parseArgs } from 'node:util';
import { UsageError } from '../../libs/testing/src/host/setup-error.mjs';

/** The tools of `npm run demo -- …` and the flags of each, all of which have a value. */
export const DEMO_FLAGS = /** @type {const} */ ({
  send: ['to', 'ether', 'token', 'btc', 'sol', 'trx'],
  address: ['chain'],
  mine: ['blocks'],
  receive: ['port', 'secret'],
});

const USAGE = `npm run demo                                       show everything once
npm run demo -- send --to 0x… --ether 1            send ether from the local chain's first account
npm run demo -- send --to 0x… --token 25           send the demo token
npm run demo -- send --to bcrt1… --btc 0.5         send bitcoin from the local chain's wallet
npm run demo -- send --to T… --trx 12.5            send TRX from the local chain's first account
npm run demo -- send --to 7Np4… --sol 1            send SOL from the local chain's faucet
npm run demo -- address                            print a new Bitcoin address of the local chain
npm run demo -- address --chain solana             print a new Solana address
npm run demo -- mine --blocks 6                    mine Bitcoin blocks now, instead of one every ten seconds
npm run demo -- receive --port 9900 [--secret …]   print webhooks and verify their signatures`;
const BLOCKS_MAX = 500;
const PORT_MAX = 65_535;

/** @typedef {'ether' | 'token' | 'btc' | 'sol' | 'trx'} Unit */
/**
 * @typedef {{ type: 'show' }
 *   | { type: 'send', to: string, unit: Unit, amount: string }
 *   | { type: 'address', chain: 'bitcoin' | 'solana' }
 *   | { type: 'mine', blocks: number }
 *   | { type: 'receive', port: number, secret: string | undefined }} DemoOptions
 */

/** @param {readonly string[]} args @returns {DemoOptions} @throws {UsageError} */
export function parseDemoOptions([command, ...args]) {
  switch (command) {
    case undefined:
      return { type: 'show' };
    case 'send':
      return parseSend(readFlags(args, DEMO_FLAGS.send));
    case 'address': {
      const { chain = 'bitcoin' } = readFlags(args, DEMO_FLAGS.address);
      if (chain !== 'bitcoin' && chain !== 'solana')
        throw new UsageError(`expected --chain bitcoin or --chain solana, got ${chain}`);
      return { type: 'address', chain };
    }
    case 'mine': {
      const { blocks = '1' } = readFlags(args, DEMO_FLAGS.mine);
      return { type: 'mine', blocks: readNumber('--blocks', blocks, BLOCKS_MAX) };
    }
    case 'receive': {
      const { port = '9900', secret } = readFlags(args, DEMO_FLAGS.receive);
      if (secret === '') throw new UsageError('expected --secret with a value, got nothing');
      return { type: 'receive', port: readNumber('--port', port, PORT_MAX), secret };
    }
    default:
      throw new UsageError(`expected a command of the demo, got ${command}:\n${USAGE}`);
  }
}

/** @param {Record<string, string | undefined>} flags @returns {DemoOptions} */
function parseSend({ to, ...amounts }) {
  const [first, ...others] = Object.entries(amounts);
  if (first === undefined || others.length > 0)
    throw new UsageError('expected one of --ether, --token, --btc, --sol and --trx, such as --ether 1');
  const [unit, amount = ''] = first;
  if (!/^\d+(\.\d+)?$/.test(amount) || Number(amount) === 0)
    throw new UsageError(`expected --${unit} with an amount such as 1 or 0.5, got ${amount || 'nothing'}`);
  if (!to) throw new UsageError('expected --to with an address, got nothing');
  if ((unit === 'ether' || unit === 'token') && !/^0x[0-9a-fA-F]{40}$/.test(to))
    throw new UsageError(`expected --to with an address of 0x and 40 hex digits, got ${to}`);
  return { type: 'send', to, unit: /** @type {Unit} */ (unit), amount };
}

/** @param {string} name @param {string} text @param {number} max */
function readNumber(name, text, max) {
  if (!/^[1-9]\d{0,8}$/.test(text) || Number(text) > max)
    throw new UsageError(`expected ${name} 1 … ${max}, got ${text || 'nothing'}`);
  return Number(text);
}

/** @param {readonly string[]} args @param {readonly string[]} names @returns {Record<string, string | undefined>} */
function readFlags(args, names) {
  try {
    const options = Object.fromEntries(
      names.map((name) => [name, { type: /** @type {const} */ ('string') }]),
    );
    return parseArgs({ args: [...args], options }).values;
  } catch (error) {
    throw new UsageError(`${error instanceof Error ? error.message.split('.')[0] : error}:\n${USAGE}`);
  }
}
