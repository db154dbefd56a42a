// SPDX-License-Identifier: Apache-2.0
import { createNamedAccount, toHexAddress, TronWallet } from '../../../devnet/tron/index.ts';
import { randomBytes } from 'node:crypto';
import { SetupError } from '@chainwatch/testing/host';
import type { ApiClient } from '../api-client.ts';
import { shorten } from './receive.ts';

const TRX_PATTERN = /^(\d{1,12})(?:\.(\d{1,6}))?$/;

export interface TronDemo {
  readonly api: ApiClient;
  readonly endpointUrl: string;
  readonly say: (line: string) => void;
}

/** Registers an address and pays it. @returns the address and the transaction's id */
export async function showTron({
  api,
  endpointUrl,
  say,
}: TronDemo): Promise<{ address: string; hash: string }> {
  const { address } = createNamedAccount(randomBytes(32).toString('hex'));
  await api.call('POST', '/addresses/external', { value: address, chain_family: 'tron', label: 'demo' });
  say(`Registered the address ${address}`);
  const hash = await sendTrx(endpointUrl, address, '12.5');
  say(`Sent 12.5 TRX in ${shorten(hash)}, which waits for a block`);
  return { address, hash };
}

/** Sends from the local chain's first account; a block takes it in within three seconds. @returns the id @throws SetupError */
export async function sendTrx(endpointUrl: string, to: string, trx: string): Promise<string> {
  const match = TRX_PATTERN.exec(trx);
  if (!match)
    throw new SetupError(`expected an amount of at most six decimals such as 1 or 0.5, got ${trx}.`);
  const wallet = new TronWallet(endpointUrl);
  try {
    const sun = BigInt(match[1]! + (match[2] ?? '').padEnd(6, '0'));
    return (await wallet.sendTrx(createNamedAccount('account 0'), { to: parseAddress(to), sun })).txid;
  } catch (error) {
    throw new SetupError(`The TRON node of the local chain did not take it: ${(error as Error).message}`);
  }
}

function parseAddress(to: string): string {
  try {
    return toHexAddress(to);
  } catch {
    throw new SetupError(`expected --to with an address of TRON such as T…, got ${to}.`);
  }
}
