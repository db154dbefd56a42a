// SPDX-License-Identifier: Apache-2.0
import { randomBytes } from 'node:crypto';
import { createScriptKey } from '../../../devnet/bitcoin/index.ts';
import { SetupError } from '@chainwatch/testing/host';
import { findStackFile, type StackFile } from '../stack-file.ts';
import { BITCOIN_CHAIN } from '../../../devnet/bitcoin/local-node.ts';
import { EVM_CHAIN } from '../../../devnet/evm/local-node.ts';
import { SOLANA_CHAIN } from '../../../devnet/solana/local-node.ts';
import { TRON_CHAIN } from '../../../devnet/tron/local-node.ts';
import type { DemoOptions } from '../../demo-options.mjs';
import { receive } from './receive.ts';
import { mineBitcoin, sendBitcoin } from './send-bitcoin.ts';
import { sendFunds } from './send-funds.ts';
import { createSolanaAddress, sendSolana } from './send-solana.ts';
import { showEverything } from './show-everything.ts';
import { sendTrx } from './show-tron.ts';

/** The demo as a whole, or one of its tools by hand. @throws SetupError with one sentence */
export async function runDemo(options: DemoOptions): Promise<void> {
  switch (options.type) {
    case 'show':
      return showEverything(requireStack());
    case 'send':
      return send(options);
    case 'address':
      return console.log(
        options.chain === 'solana'
          ? createSolanaAddress()
          : createScriptKey('p2wpkh', randomBytes(32)).address,
      );
    case 'mine':
      return mine(options.blocks);
    case 'receive':
      return receiveByHand(options);
  }
}

type OptionsOf<Type extends DemoOptions['type']> = Extract<DemoOptions, { type: Type }>;

async function send({ to, unit, amount }: OptionsOf<'send'>): Promise<void> {
  const stack = requireStack();
  const sent = (coin: string, hash: string): void =>
    console.log(`Sent ${amount} ${coin} to ${to} in transaction ${hash}, which waits for the next block`);
  if (unit === 'btc')
    return sent('BTC', await sendBitcoin(requireEndpoint(stack, BITCOIN_CHAIN), to, amount));
  if (unit === 'trx') return sent('TRX', await sendTrx(requireEndpoint(stack, TRON_CHAIN), to, amount));
  if (unit === 'sol')
    return sent('SOL', await sendSolana(requireEndpoint(stack, SOLANA_CHAIN), { to, sol: amount }));
  const { what, hash, blockNumber } = await sendFunds(
    requireEndpoint(stack, EVM_CHAIN),
    to as `0x${string}`,
    unit === 'token' ? { token: amount } : { ether: amount },
  );
  console.log(`Sent ${what} to ${to} in transaction ${hash}, block ${blockNumber}`);
}

async function mine(blocks: number): Promise<void> {
  const height = await mineBitcoin(requireEndpoint(requireStack(), BITCOIN_CHAIN), blocks);
  console.log(`Mined ${blocks === 1 ? 'a block' : `${blocks} blocks`}, the last is ${height}`);
}

async function receiveByHand({ port, secret }: OptionsOf<'receive'>): Promise<void> {
  const { url } = await receive({
    port,
    secrets: () => (secret ? [secret] : []),
    print: console.log,
  });
  console.log(
    `Listening on ${url}, Ctrl-C ends it${secret ? '' : '; without --secret signatures are not verified'}`,
  );
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
