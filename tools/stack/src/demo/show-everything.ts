// SPDX-License-Identifier: Apache-2.0
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts';
import { createApiClient, type ApiClient } from '../api-client.ts';
import { BITCOIN_CHAIN } from '../../../devnet/bitcoin/local-node.ts';
import { EVM_CHAIN } from '../../../devnet/evm/local-node.ts';
import { SOLANA_CHAIN } from '../../../devnet/solana/local-node.ts';
import { TRON_CHAIN } from '../../../devnet/tron/local-node.ts';
import type { StackFile } from '../stack-file.ts';
import { waitUntil } from '../wait-until.ts';
import { receive, shorten, type ReceivedEvent } from './receive.ts';
import { readHead, sendFunds } from './send-funds.ts';
import { showBitcoin } from './show-bitcoin.ts';
import { showSolana } from './show-solana.ts';
import { showTron } from './show-tron.ts';
import { watchBlock } from './watch-block.ts';

const CHANNEL_NAME = 'demo';
const CONFIRM_TIMEOUT_MS = 30_000;
const API_PORT = 8080;
const RECEIVER_PORT = 9890;

/** Registers addresses and a webhook, sends ether, tokens, TRX, bitcoin and SOL, and prints what the service makes of it. */
export async function showEverything(stack: StackFile): Promise<void> {
  const api = createApiClient(stack.api_url, stack.keys.api);
  const endpointUrl = stack.chains[EVM_CHAIN]?.endpoint_url;
  if (!endpointUrl) return say('The local chains do not run: there is nothing to show.');
  const events: ReceivedEvent[] = [];
  const secrets: string[] = [];
  // The same offset as the rest of this stack's ports.
  const port = Number(new URL(stack.api_url).port) - API_PORT + RECEIVER_PORT;
  const receiver = await receive({
    port,
    secrets: () => secrets,
    print: say,
    onEvent: (event) => events.push(event),
  });
  const address = privateKeyToAddress(generatePrivateKey());
  say('');
  await api.call('POST', '/addresses/external', { value: address, chain_family: 'evm', label: 'demo' });
  say(`Registered the address ${address}`);
  const channel = await createChannel(api, receiver.url);
  secrets.push(channel.webhook_secret);
  say(`Created a webhook channel to ${receiver.url}, deliveries are signed with its secret`);
  try {
    // The next block takes the transfer in: watched from before it exists, to see it `new`.
    const watched = watchBlock(api, {
      chainGid: EVM_CHAIN,
      number: (await readHead(endpointUrl)) + 1,
      print: say,
    });
    const ether = await sendFunds(endpointUrl, address, { ether: '1' });
    say(`Sent ${ether.what} in ${shorten(ether.hash)}, block ${ether.blockNumber}`);
    const token = await sendFunds(endpointUrl, address, { token: '25' });
    say(`Sent ${token.what} in ${shorten(token.hash)}, block ${token.blockNumber}`);
    const tron = await showTron({ api, endpointUrl: stack.chains[TRON_CHAIN]!.endpoint_url, say });
    const bitcoin = await showBitcoin({
      api,
      endpointUrl: stack.chains[BITCOIN_CHAIN]!.endpoint_url,
      events,
      say,
    });
    const solana = await showSolana({ api, endpointUrl: stack.chains[SOLANA_CHAIN]!.endpoint_url, say });
    const isConfirmed = (hash: string): boolean =>
      events.some(({ type, data }) => type === 'transaction.confirmed' && data.transaction?.hash === hash);
    const arrived = await waitUntil(
      async () => [ether, token, tron, bitcoin, solana].every(({ hash }) => isConfirmed(hash)),
      { timeoutMs: CONFIRM_TIMEOUT_MS },
    );
    if (!arrived)
      say(`Not every confirmation arrived within ${CONFIRM_TIMEOUT_MS / 1_000} s: see .chainwatch/logs`);
    await watched;
    for (const shown of [address, tron.address, bitcoin.address, solana.address]) await showState(api, shown);
  } finally {
    await api.call('DELETE', `/notification_channels/${channel.id}`).catch(() => undefined);
    await receiver.close();
  }
  say(
    'That was the demo. docs/guides/first-hour.md does the same by hand; npm run demo -- send --to 0x… --ether 1 sends more.\n',
  );
}

async function createChannel(api: ApiClient, url: string): Promise<{ id: string; webhook_secret: string }> {
  return api.call('POST', '/notification_channels/webhook', {
    name: CHANNEL_NAME,
    url,
    event_types: ['transaction.detected', 'transaction.confirmed', 'balance.changed'],
  });
}

async function showState(api: ApiClient, address: string): Promise<void> {
  const { items } = await api.call<{
    items: readonly { hash: string; status: string; direction: string; confirmations: number }[];
  }>('GET', `/transactions?addresses=${address}`);
  for (const item of items)
    say(
      `GET /transactions: ${shorten(item.hash)} ${item.direction} ${item.status}, ${item.confirmations} confirmations`,
    );
  say(
    `GET /addresses/${shorten(address)}/balances: ${JSON.stringify(await api.call('GET', `/addresses/${address}/balances`))}`,
  );
}

function say(line: string): void {
  console.log(line === '' ? '' : `demo                   | ${line}`);
}
