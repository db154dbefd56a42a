import { setImmediate as nextTurn, setTimeout as delay } from 'node:timers/promises';
import type { Network } from '@chainwatch/chain-core';
import { findNetwork } from '@chainwatch/chain-registry';
import type { Chain } from '../chains/chain.ts';
import { callUpstream, callWallet, NodeRefusedError, NotServedError } from './call-upstream.ts';
import type { Head, Upstream } from './upstream.ts';

export interface Health {
  /** Undefined where the node does not tell which chain it serves. */
  readonly isRightChain: boolean | undefined;
  readonly head: Head | undefined;
}

const TIMEOUT_MS = 5_000;
const LOCAL_CLUSTER = 'solana:localnet';
const GENESIS_CHARACTERS = 32;

/** Which chain a node serves and where it stands. What it refuses to say is undefined. @throws Error when it does not answer */
export async function askHealth(upstream: Upstream, { network, isWallet }: Chain): Promise<Health> {
  if (isWallet) return askWallet(upstream, network);
  const ask = async <T>(method: string, params: readonly unknown[] = []): Promise<T | undefined> => {
    try {
      return await callUpstream<T>(upstream, method, params, AbortSignal.timeout(TIMEOUT_MS));
    } catch (error) {
      if (error instanceof NodeRefusedError) return undefined;
      throw error;
    }
  };
  switch (network.family) {
    case 'evm':
    case 'tron':
      return askEvm(ask, network);
    case 'bitcoin':
      return askBitcoin(ask, network);
    case 'solana':
      return askSolana(ask, network);
  }
}

/** The cheapest question, for a node that is suspected to be gone. */
export async function isThere(
  upstream: Upstream,
  { family, isWallet }: Chain,
  timeoutMs: number,
): Promise<boolean> {
  const method = { evm: 'eth_chainId', tron: 'eth_chainId', bitcoin: 'getblockcount', solana: 'getVersion' }[
    family
  ];
  const stop = new AbortController();
  const question = isWallet
    ? callWallet(upstream, 'getblock', { detail: false }, stop.signal)
    : callUpstream(upstream, method, [], stop.signal);
  const answer = question.then(
    () => true,
    (error: unknown) => error instanceof NodeRefusedError,
  );
  const late = delay(timeoutMs, undefined, { ref: false }).then(async () => {
    // A process that stood still itself finds its timers due before it reads what has arrived.
    for (let turn = 0; turn < 3; turn += 1) await nextTurn();
    return false;
  });
  return Promise.race([answer, late]).finally(() => stop.abort());
}

type Ask = <T>(method: string, params?: readonly unknown[]) => Promise<T | undefined>;
interface EvmBlock {
  readonly number: string;
  readonly hash: string;
}

async function askEvm(ask: Ask, network: Network): Promise<Health> {
  const [chainId, latest, final] = await Promise.all([
    ask<string>('eth_chainId'),
    ask<EvmBlock>('eth_getBlockByNumber', ['latest', false]),
    ask<EvmBlock>('eth_getBlockByNumber', ['finalized', false]),
  ]);
  const number = readHex(latest?.number) ?? readHex(await ask<string>('eth_blockNumber'));
  return {
    isRightChain: readHex(chainId) === undefined ? undefined : readHex(chainId) === Number(network.reference),
    head:
      number === undefined
        ? undefined
        : {
            number,
            hash: latest?.hash ?? `${number}`,
            final: readHex(final?.number) ?? number - network.confirmation.depth,
          },
  };
}

async function askBitcoin(ask: Ask, network: Network): Promise<Health> {
  const [genesis, best] = await Promise.all([
    ask<string>('getblockhash', [0]),
    ask<string>('getbestblockhash'),
  ]);
  const number = await ask<number>('getblockcount');
  return {
    isRightChain: typeof genesis === 'string' ? genesis.startsWith(network.reference) : undefined,
    head:
      typeof number === 'number'
        ? { number, hash: best ?? `${number}`, final: number - network.confirmation.depth }
        : undefined,
  };
}

async function askSolana(ask: Ask, network: Network): Promise<Health> {
  const [genesis, confirmed, finalized] = await Promise.all([
    ask<string>('getGenesisHash'),
    ask<number>('getSlot', [{ commitment: 'confirmed' }]),
    ask<number>('getSlot', [{ commitment: 'finalized' }]),
  ]);
  return {
    isRightChain: typeof genesis === 'string' ? isGenesisOf(network, genesis) : undefined,
    head:
      typeof confirmed === 'number'
        ? { number: confirmed, hash: `${confirmed}`, final: finalized ?? undefined }
        : undefined,
  };
}

interface WalletBlock {
  readonly blockID?: string;
  readonly block_header?: { readonly raw_data?: { readonly number?: number } };
}

/** A chain's id is the end of its genesis block's. */
async function askWallet(upstream: Upstream, network: Network): Promise<Health> {
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  const [genesis, latest] = await Promise.all([
    readWalletBlock(upstream, signal, 0),
    readWalletBlock(upstream, signal),
  ]);
  if (genesis.blockID === undefined || latest.blockID === undefined)
    throw new Error('getblock: expected a block with its id');
  const id = Number.parseInt(genesis.blockID.slice(-8), 16);
  // The number 0 is left out.
  const head = { number: latest.block_header?.raw_data?.number ?? 0, hash: latest.blockID, final: undefined };
  return { isRightChain: network.gid === `tron:0x${id.toString(16)}`, head };
}

/** Without its transactions, where the node is not too old for that. */
async function readWalletBlock(
  upstream: Upstream,
  signal: AbortSignal,
  number?: number,
): Promise<WalletBlock> {
  try {
    return await callWallet<WalletBlock>(
      upstream,
      'getblock',
      { ...(number !== undefined && { id_or_num: `${number}` }), detail: false },
      signal,
    );
  } catch (error) {
    if (!(error instanceof NotServedError || error instanceof NodeRefusedError)) throw error;
    return number === undefined
      ? callWallet(upstream, 'getnowblock', {}, signal)
      : callWallet(upstream, 'getblockbynum', { num: number }, signal);
  }
}

/** A cluster of one's own has a genesis of its own: any that is nobody else's. */
function isGenesisOf({ gid }: Network, genesis: string): boolean {
  const got = `solana:${genesis.slice(0, GENESIS_CHARACTERS)}`;
  return gid === LOCAL_CLUSTER ? findNetwork(got) === undefined : gid === got;
}

function readHex(value: unknown): number | undefined {
  return typeof value === 'string' && /^0x[0-9a-f]{1,13}$/i.test(value) ? Number(value) : undefined;
}
