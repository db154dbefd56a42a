// SPDX-License-Identifier: Apache-2.0
import { ChainClientError, type BlockHeader, type BlockRef } from '@chainwatch/chain-core';
import type { Capabilities, Session } from './session.ts';
import { verifyHeader } from './verify-header.ts';
import { isNotServed, type WalletApi } from './wallet-api.ts';
import { parseWalletBlock } from './parse-wallet-block.ts';
import type { WalletBlock } from './wallet-block.ts';

/** A session whose wallet API is configured. */
export type WalletSession = Session & { readonly wallet: WalletApi };

export async function readWalletHead(session: WalletSession, signal?: AbortSignal): Promise<BlockHeader> {
  const block = await readHeaderBlock(session, {
    selection: {},
    whole: { method: 'wallet/getnowblock', body: {} },
    signal,
  });
  if (block === undefined) throw new ChainClientError('getnowblock: expected a block, got none');
  return verifyHeader(block).header;
}

export async function findWalletHeaderByNumber(
  session: WalletSession,
  number: number,
  signal?: AbortSignal,
): Promise<BlockHeader | undefined> {
  const block = await readHeaderBlock(session, {
    selection: { id_or_num: String(number) },
    whole: { method: 'wallet/getblockbynum', body: { num: number } },
    signal,
  });
  if (block === undefined) return undefined;
  const { header } = verifyHeader(block);
  if (header.number !== number)
    throw new ChainClientError(`getblock: expected block ${number}, got ${header.number}`);
  return header;
}

export async function findWalletHeaderByHash(
  session: WalletSession,
  hash: string,
  signal?: AbortSignal,
): Promise<BlockHeader | undefined> {
  const block = await readHeaderBlock(session, {
    selection: { id_or_num: hash },
    whole: { method: 'wallet/getblockbyid', body: { value: hash } },
    signal,
  });
  if (block === undefined) return undefined;
  const { header } = verifyHeader(block);
  if (header.hash !== hash) throw new ChainClientError(`getblock: expected ${hash}, got ${header.hash}`);
  return header;
}

/** A whole block by its hash, not proved yet; undefined when the node does not have it. */
export async function findWalletBlock(
  { wallet }: WalletSession,
  hash: string,
  signal?: AbortSignal,
): Promise<WalletBlock | undefined> {
  return parseWalletBlock('getblockbyid', await wallet.call('wallet/getblockbyid', { value: hash }, signal));
}

/** The last solidified block: no producer builds below it. Undefined where the node does not tell. */
export async function findSolidified(
  { wallet, capabilities }: WalletSession,
  signal?: AbortSignal,
): Promise<BlockRef | undefined> {
  while (capabilities.solidified !== 'none') {
    const tried = capabilities.solidified;
    try {
      return await readSolidified[tried](wallet, signal);
    } catch (error) {
      if (!isNotServed(error)) throw error;
      capabilities.solidified = NEXT_SOURCE[tried];
    }
  }
  return undefined;
}

/** The port for solidified state may be closed, or served elsewhere; the node's own report has it too. */
const NEXT_SOURCE = { solidity_block: 'solidity_now', solidity_now: 'node_info', node_info: 'none' } as const;

type ReadSolidified = (wallet: WalletApi, signal?: AbortSignal) => Promise<BlockRef | undefined>;

const readSolidified: Readonly<Record<Exclude<Capabilities['solidified'], 'none'>, ReadSolidified>> = {
  solidity_block: async (wallet, signal) =>
    toRef(await wallet.call('walletsolidity/getblock', { detail: false }, signal)),
  solidity_now: async (wallet, signal) => toRef(await wallet.call('walletsolidity/getnowblock', {}, signal)),
  node_info: async (wallet, signal) => {
    const info = await wallet.call('wallet/getnodeinfo', {}, signal);
    const text =
      typeof info === 'object' && info !== null && 'solidityBlock' in info ? String(info.solidityBlock) : '';
    const match = /^Num:(\d+),ID:([0-9a-f]{64})$/.exec(text);
    return match === null ? undefined : { number: Number(match[1]), hash: match[2]! };
  },
};

function toRef(json: unknown): BlockRef | undefined {
  const block = parseWalletBlock('walletsolidity', json);
  if (block === undefined) return undefined;
  const { number, hash } = verifyHeader(block).header;
  return { number, hash };
}

/** A header without transactions where the node serves that, else the whole block. */
async function readHeaderBlock(
  { wallet, capabilities }: WalletSession,
  {
    selection,
    whole,
    signal,
  }: {
    readonly selection: object;
    readonly whole: { readonly method: `wallet/${string}`; readonly body: object };
    readonly signal?: AbortSignal;
  },
): Promise<WalletBlock | undefined> {
  if (capabilities.hasGetBlock) {
    try {
      return parseWalletBlock(
        'getblock',
        await wallet.call('wallet/getblock', { ...selection, detail: false }, signal),
      );
    } catch (error) {
      if (!isNotServed(error)) throw error;
      capabilities.hasGetBlock = false;
    }
  }
  return parseWalletBlock(whole.method, await wallet.call(whole.method, whole.body, signal));
}
