import { parseArgs } from 'node:util';
import { SetupError } from '../../setup-error.mjs';
import { findStackFile, type StackFile } from '../stack-file.ts';
import { receive } from './receive.ts';
import { sendFunds } from './send-funds.ts';
import { showEverything } from './show-everything.ts';

const USAGE = `npm run demo                                       show everything once
npm run demo -- send --to 0x… --ether 1            send ether from the local chain's first account
npm run demo -- send --to 0x… --token 25           send the demo token
npm run demo -- receive --port 9900 [--secret …]   print webhooks and verify their signatures`;

/** The demo as a whole, or one of its tools by hand. @throws SetupError with one sentence */
export async function runDemo(args: readonly string[]): Promise<void> {
  const [command, ...rest] = args;
  switch (command) {
    case undefined:
      return showEverything(requireStack());
    case 'send':
      return send(rest);
    case 'receive':
      return receiveByHand(rest);
    default:
      throw new SetupError(`There is no demo command ${command}. These are:\n${USAGE}`);
  }
}

async function send(args: readonly string[]): Promise<void> {
  const { to, ether, token } = readFlags(args, ['to', 'ether', 'token']);
  if (!to || !/^0x[0-9a-fA-F]{40}$/.test(to)) throw new SetupError(`expected --to with an address of 0x and 40 hex digits, got ${to ?? 'nothing'}.`);
  if ((ether === undefined) === (token === undefined)) throw new SetupError('expected either --ether or --token, such as --ether 1 or --token 25.');
  for (const amount of [ether, token]) if (amount !== undefined && !/^\d+(\.\d+)?$/.test(amount)) throw new SetupError(`expected an amount such as 1 or 0.5, got ${amount}.`);
  const sent = await sendFunds(requireEndpoint(requireStack()), to as `0x${string}`, ether === undefined ? { token: token! } : { ether });
  console.log(`Sent ${sent.what} to ${to} in transaction ${sent.hash}, block ${sent.blockNumber}`);
}

async function receiveByHand(args: readonly string[]): Promise<void> {
  const { port = '9900', secret } = readFlags(args, ['port', 'secret']);
  if (!/^\d{1,5}$/.test(port)) throw new SetupError(`expected --port with a number, got ${port}.`);
  const { url } = await receive({ port: Number(port), secrets: () => (secret ? [secret] : []), print: console.log });
  console.log(`Listening on ${url}, Ctrl-C ends it${secret ? '' : '; without --secret signatures are not verified'}`);
}

function readFlags<const N extends string>(args: readonly string[], names: readonly N[]): Partial<Record<N, string>> {
  try {
    const options = Object.fromEntries(names.map((name) => [name, { type: 'string' as const }]));
    return parseArgs({ args: [...args], options }).values as Partial<Record<N, string>>;
  } catch (error) {
    throw new SetupError(`${(error as Error).message}\n${USAGE}`);
  }
}

function requireStack(): StackFile {
  const stack = findStackFile();
  if (!stack) throw new SetupError('There is no .chainwatch/stack.json: start the stack first with npm start -- --detach.');
  return stack;
}

function requireEndpoint(stack: StackFile): string {
  const endpoint = stack.chains['eip155:31337']?.endpoint_url;
  if (!endpoint) throw new SetupError('The stack runs without its local chain: start it without --no-devnet.');
  return endpoint;
}
