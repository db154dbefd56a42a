// SPDX-License-Identifier: Apache-2.0
import { randomBytes } from 'node:crypto';
import { createScriptKey } from '../../../devnet/bitcoin/index.ts';
import type { ApiClient } from '../api-client.ts';
import { waitUntil } from '../wait-until.ts';
import { shorten, type ReceivedEvent } from './receive.ts';
import { mineBitcoin, sendBitcoin } from './send-bitcoin.ts';

const DETECT_TIMEOUT_MS = 15_000;
/** With its third block a transaction of regtest is final. */
const CONFIRMATIONS = 3;

export interface BitcoinDemo {
  readonly api: ApiClient;
  readonly endpointUrl: string;
  readonly events: readonly ReceivedEvent[];
  readonly say: (line: string) => void;
}

/** Registers an address, pays it, and mines the payment once it was detected in the mempool. @returns the address and the txid */
export async function showBitcoin({
  api,
  endpointUrl,
  events,
  say,
}: BitcoinDemo): Promise<{ address: string; hash: string }> {
  const { address } = createScriptKey('p2wpkh', randomBytes(32));
  await api.call('POST', '/addresses/external', { value: address, chain_family: 'bitcoin', label: 'demo' });
  say(`Registered the address ${address}`);
  const hash = await sendBitcoin(endpointUrl, address, '0.5');
  say(`Sent 0.5 BTC in ${shorten(hash)}, which waits for a block`);
  await waitUntil(
    async () =>
      events.some(({ type, data }) => type === 'transaction.detected' && data.transaction?.hash === hash),
    { timeoutMs: DETECT_TIMEOUT_MS },
  );
  const height = await mineBitcoin(endpointUrl, CONFIRMATIONS);
  say(`Mined ${CONFIRMATIONS} blocks, the last is ${height}`);
  return { address, hash };
}
