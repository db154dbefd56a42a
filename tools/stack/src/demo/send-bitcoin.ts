// SPDX-License-Identifier: Apache-2.0
import {
  addressToScript,
  connectBitcoinNode,
  fundWallet,
  payFromWallet,
  walletKey,
} from '../../../devnet/bitcoin/index.ts';
import { SetupError } from '@chainwatch/testing/host';

const BTC_PATTERN = /^(\d{1,8})(?:\.(\d{1,8}))?$/;

/** Sends from the local chain's wallet to its mempool; a block takes it in within ten seconds. @returns the txid @throws SetupError */
export async function sendBitcoin(endpointUrl: string, to: string, btc: string): Promise<string> {
  const value = parseBtc(btc);
  const script = readScript(to);
  const node = connectBitcoinNode(endpointUrl);
  try {
    await fundWallet(node);
    return (await payFromWallet(node, [{ script, value }])).getId();
  } catch (error) {
    throw new SetupError(`The Bitcoin node of the local chain did not take it: ${(error as Error).message}`);
  }
}

/** @returns the height of the last block @throws SetupError */
export async function mineBitcoin(endpointUrl: string, count: number): Promise<number> {
  const node = connectBitcoinNode(endpointUrl);
  try {
    await node.mine(count, { script: walletKey.script });
    return await node.readHeight();
  } catch (error) {
    throw new SetupError(`The Bitcoin node of the local chain did not mine: ${(error as Error).message}`);
  }
}

function parseBtc(text: string): bigint {
  const match = BTC_PATTERN.exec(text);
  if (!match)
    throw new SetupError(`expected an amount of at most eight decimals such as 1 or 0.05, got ${text}.`);
  return BigInt(match[1]! + (match[2] ?? '').padEnd(8, '0'));
}

function readScript(to: string): Uint8Array {
  try {
    return addressToScript(to);
  } catch {
    throw new SetupError(`expected --to with an address of regtest such as bcrt1q…, got ${to}.`);
  }
}
