import { randomBytes } from 'node:crypto';
import { parseArgs } from 'node:util';
import { createScriptKey } from '../../../devnet/bitcoin/index.ts';
import { SetupError } from '@chainwatch/host';
import { findStackFile, type StackFile } from '../stack-file.ts';
import { BITCOIN_CHAIN } from '../../../devnet/bitcoin/local-node.ts';
import { EVM_CHAIN } from '../../../devnet/evm/local-node.ts';
import { SOLANA_CHAIN } from '../../../devnet/solana/local-node.ts';
import { TRON_CHAIN } from '../../../devnet/tron/local-node.ts';
import { DEMO_FLAGS } from './demo-flags.ts';
import { receive } from './receive.ts';
import { mineBitcoin, sendBitcoin } from './send-bitcoin.ts';
import { sendFunds } from './send-funds.ts';
import { createSolanaAddress, sendSolana } from './send-solana.ts';
import { showEverything } from './show-everything.ts';
import { sendTrx } from './show-tron.ts';

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

/** The demo as a whole, or one of its tools by hand. @throws SetupError with one sentence */
export async function runDemo(args: readonly string[]): Promise<void> {
  const [command, ...rest] = args;
  switch (command) {
    case undefined:
      return showEverything(requireStack());
    case 'send':
      return send(rest);
    case 'address':
      return printAddress(rest);
    case 'mine':
      return mine(rest);
    case 'receive':
      return receiveByHand(rest);
    default:
      throw new SetupError(`There is no demo command ${command}. These are:\n${USAGE}`);
  }
}

async function send(args: readonly string[]): Promise<void> {
  const { to, ...amounts } = readFlags(args, DEMO_FLAGS.send);
  const [[unit, amount] = [undefined, ''], ...others] = Object.entries(amounts);
  if (!unit || others.length > 0)
    throw new SetupError('expected one of --ether, --token, --btc, --sol and --trx, such as --ether 1.');
  if (!/^\d+(\.\d+)?$/.test(amount))
    throw new SetupError(`expected an amount such as 1 or 0.5, got ${amount}.`);
  if (unit === 'btc') {
    const txid = await sendBitcoin(requireEndpoint(requireStack(), BITCOIN_CHAIN), to ?? 'nothing', amount);
    return console.log(`Sent ${amount} BTC to ${to} in transaction ${txid}, which waits for the next block`);
  }
  if (unit === 'trx') {
    const txid = await sendTrx(requireEndpoint(requireStack(), TRON_CHAIN), to ?? 'nothing', amount);
    return console.log(`Sent ${amount} TRX to ${to} in transaction ${txid}, which waits for the next block`);
  }
  if (unit === 'sol') {
    const signature = await sendSolana(requireEndpoint(requireStack(), SOLANA_CHAIN), {
      to: to ?? 'nothing',
      sol: amount,
    });
    return console.log(
      `Sent ${amount} SOL to ${to} in transaction ${signature}, which waits for the next block`,
    );
  }
  if (!to || !/^0x[0-9a-fA-F]{40}$/.test(to))
    throw new SetupError(`expected --to with an address of 0x and 40 hex digits, got ${to ?? 'nothing'}.`);
  const sent = await sendFunds(
    requireEndpoint(requireStack(), EVM_CHAIN),
    to as `0x${string}`,
    unit === 'token' ? { token: amount } : { ether: amount },
  );
  console.log(`Sent ${sent.what} to ${to} in transaction ${sent.hash}, block ${sent.blockNumber}`);
}

function printAddress(args: readonly string[]): void {
  const { chain = 'bitcoin' } = readFlags(args, DEMO_FLAGS.address);
  if (chain !== 'bitcoin' && chain !== 'solana')
    throw new SetupError(`expected --chain bitcoin or --chain solana, got ${chain}.`);
  console.log(
    chain === 'solana' ? createSolanaAddress() : createScriptKey('p2wpkh', randomBytes(32)).address,
  );
}

async function mine(args: readonly string[]): Promise<void> {
  const { blocks = '1' } = readFlags(args, DEMO_FLAGS.mine);
  const count = Number(blocks);
  if (!Number.isInteger(count) || count < 1 || count > BLOCKS_MAX)
    throw new SetupError(`expected --blocks 1 … ${BLOCKS_MAX}, got ${blocks}.`);
  const height = await mineBitcoin(requireEndpoint(requireStack(), BITCOIN_CHAIN), count);
  console.log(`Mined ${count === 1 ? 'a block' : `${count} blocks`}, the last is ${height}`);
}

async function receiveByHand(args: readonly string[]): Promise<void> {
  const { port = '9900', secret } = readFlags(args, DEMO_FLAGS.receive);
  if (!/^\d{1,5}$/.test(port)) throw new SetupError(`expected --port with a number, got ${port}.`);
  const { url } = await receive({
    port: Number(port),
    secrets: () => (secret ? [secret] : []),
    print: console.log,
  });
  console.log(
    `Listening on ${url}, Ctrl-C ends it${secret ? '' : '; without --secret signatures are not verified'}`,
  );
}

function readFlags<const N extends string>(
  args: readonly string[],
  names: readonly N[],
): Partial<Record<N, string>> {
  try {
    const options = Object.fromEntries(names.map((name) => [name, { type: 'string' as const }]));
    return parseArgs({ args: [...args], options }).values as Partial<Record<N, string>>;
  } catch (error) {
    throw new SetupError(`${(error as Error).message}\n${USAGE}`);
  }
}

function requireStack(): StackFile {
  const stack = findStackFile();
  if (!stack)
    throw new SetupError(
      'There is no .chainwatch/stack.json: start the stack first with npm start -- --detach.',
    );
  return stack;
}

function requireEndpoint(stack: StackFile, chainGid: string): string {
  const endpoint = stack.chains[chainGid]?.endpoint_url;
  if (!endpoint)
    throw new SetupError('The stack runs without its local chains: start it without --no-devnet.');
  return endpoint;
}
