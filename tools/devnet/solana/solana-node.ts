// SPDX-License-Identifier: Apache-2.0
import {
  Connection,
  type AddressLookupTableAccount,
  type Keypair,
  type PublicKey,
  type TransactionInstruction,
} from '@solana/web3.js';
import { base58 } from '@scure/base';
import type { ComingFeatures } from './ledger.ts';
import { signTransaction, type SentVersion } from './sign-transaction.ts';
import { readSignature, type RequestedConfig } from './version-1.ts';

export interface SendOptions {
  readonly payer: Keypair;
  /** Besides the payer. */
  readonly signers?: readonly Keypair[];
  /** Of version 0 alone. */
  readonly tables?: readonly AddressLookupTableAccount[];
  /** Sent although it will fail; default false. */
  readonly skipPreflight?: boolean;
  /** Default 0. */
  readonly version?: SentVersion;
  /** Of version 1 alone; default: LOCAL_LIMITS. */
  readonly config?: RequestedConfig;
}

/** A node under the test's command. */
export interface SolanaNode {
  readonly url: string;
  readonly connection: Connection;
  call<T>(method: string, params?: readonly unknown[]): Promise<T>;
  /** Makes `blocks` blocks, the first with all that waits. Default 1. */
  produce(blocks?: number): Promise<{ readonly slot: number; readonly blockhash: string }>;
  /** Slots that pass without a block. */
  skip(slots: number): Promise<void>;
  /** Drops the last blocks above finality; answers their transactions as bytes, for `resend`. */
  fork(depth: number): Promise<Uint8Array[]>;
  resend(bytes: Uint8Array): Promise<void>;
  /** Features that the main network does not have yet. */
  setFeatures(features: Partial<ComingFeatures>): Promise<void>;
  /** How often a block is made by itself; 0: never. */
  setInterval(intervalMs: number): Promise<void>;
  /** Signs and sends; the next block has it. Answers the signature. */
  send(instructions: readonly TransactionInstruction[], options: SendOptions): Promise<string>;
  airdrop(to: PublicKey, lamports: bigint): Promise<string>;
  /** An account of a program that the local node does not run; it stays through forks. */
  setAccount(
    key: PublicKey,
    account: { readonly owner: PublicKey; readonly data: Uint8Array; readonly lamports: bigint },
  ): Promise<void>;
}

export class SolanaRpcError extends Error {
  readonly code: number;
  constructor(code: number, message: string) {
    super(message);
    this.name = 'SolanaRpcError';
    this.code = code;
  }
}

export function connectSolanaNode(url: string): SolanaNode {
  const connection = new Connection(url, 'confirmed');
  let nextId = 1;
  const call = async <T>(method: string, params: readonly unknown[] = []): Promise<T> => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: nextId++, method, params });
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
    });
    const { result, error } = (await response.json()) as {
      result: T;
      error?: { code: number; message: string };
    };
    if (error !== undefined)
      throw new SolanaRpcError(error.code, `${method}: ${error.message} (${error.code})`);
    return result;
  };
  const sendBytes = (bytes: Uint8Array, skipPreflight: boolean): Promise<string> =>
    call('sendTransaction', [Buffer.from(bytes).toString('base64'), { encoding: 'base64', skipPreflight }]);
  return {
    url,
    connection,
    call,
    produce: (blocks = 1) => call('devnet_produce', [blocks]),
    skip: async (slots) => void (await call('devnet_skip', [slots])),
    fork: async (depth) =>
      (await call<string[]>('devnet_fork', [depth])).map(
        (text) => new Uint8Array(Buffer.from(text, 'base64')),
      ),
    resend: async (bytes) => void (await sendBytes(bytes, true)),
    setFeatures: async (features) => void (await call('devnet_setFeatures', [features])),
    setInterval: async (intervalMs) => void (await call('devnet_setInterval', [intervalMs])),
    setAccount: async (key, { owner, data, lamports }) =>
      void (await call('devnet_setAccount', [
        key.toBase58(),
        owner.toBase58(),
        Buffer.from(data).toString('base64'),
        Number(lamports),
      ])),
    airdrop: (to, lamports) => call('requestAirdrop', [to.toBase58(), Number(lamports)]),
    async send(instructions, { skipPreflight = false, version = 0, ...options }) {
      const { value } = await call<{ value: { blockhash: string } }>('getLatestBlockhash', [
        { commitment: 'confirmed' },
      ]);
      const bytes = signTransaction({
        ...options,
        instructions,
        version,
        recentBlockhash: value.blockhash,
      });
      await sendBytes(bytes, skipPreflight);
      return base58.encode(readSignature(bytes));
    },
  };
}
