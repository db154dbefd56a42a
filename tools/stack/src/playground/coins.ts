// SPDX-License-Identifier: Apache-2.0
import { randomBytes } from 'node:crypto';
import { isAddress, type Address } from 'viem';
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts';
import { SetupError } from '@chainwatch/testing/host';
import { createScriptKey } from '../../../devnet/bitcoin/index.ts';
import { BITCOIN_CHAIN } from '../../../devnet/bitcoin/local-node.ts';
import { EVM_CHAIN } from '../../../devnet/evm/local-node.ts';
import { SOLANA_CHAIN } from '../../../devnet/solana/local-node.ts';
import { createNamedAccount } from '../../../devnet/tron/index.ts';
import { TRON_CHAIN } from '../../../devnet/tron/local-node.ts';
import { sendBitcoin } from '../demo/send-bitcoin.ts';
import { sendEther } from '../demo/send-funds.ts';
import { createSolanaAddress, sendSolana, SOLANA_VERSIONS } from '../demo/send-solana.ts';
import { sendTrx } from '../demo/show-tron.ts';

/** Payments on the Solana chain so far. */
let solanaPayments = 0;

/** The coin of a local chain. */
interface Coin {
  readonly symbol: string;
  /** What is sent if nothing is said. */
  readonly amount: string;
  /** The node has several accounts, one of which may be named to pay. */
  readonly hasAccounts?: true;
  /** Of a key that nobody keeps. */
  createAddress(): string;
  /** @returns the hash of the transaction @throws SetupError */
  send(endpointUrl: string, to: string, amount: string, from?: string): Promise<string>;
}

/** By CAIP-2 id. */
export const coins: ReadonlyMap<string, Coin> = new Map<string, Coin>([
  [
    EVM_CHAIN,
    {
      symbol: 'ETH',
      amount: '1',
      createAddress: () => privateKeyToAddress(generatePrivateKey()),
      hasAccounts: true,
      send: async (endpointUrl, to, amount, from) => {
        for (const address of [to, from])
          if (address !== undefined && !isAddress(address, { strict: false }))
            throw new SetupError(`expected an address of 0x and 40 hex digits, got ${address}.`);
        return sendEther(endpointUrl, {
          to: to as Address,
          ether: amount,
          from: from as Address | undefined,
        });
      },
    },
  ],
  [
    BITCOIN_CHAIN,
    {
      symbol: 'BTC',
      amount: '0.5',
      createAddress: () => createScriptKey('p2wpkh', randomBytes(32)).address,
      send: sendBitcoin,
    },
  ],
  [SOLANA_CHAIN, { symbol: 'SOL', amount: '1', createAddress: createSolanaAddress, send: sendInTurn }],
  [
    TRON_CHAIN,
    {
      symbol: 'TRX',
      amount: '12.5',
      createAddress: () => createNamedAccount(randomBytes(32).toString('hex')).address,
      send: sendTrx,
    },
  ],
]);

/** Three payments in a row are one transaction of each version: legacy, 0 and 1. */
function sendInTurn(endpointUrl: string, to: string, sol: string): Promise<string> {
  const version = SOLANA_VERSIONS[solanaPayments++ % SOLANA_VERSIONS.length]!;
  return sendSolana(endpointUrl, { to, sol, version });
}
