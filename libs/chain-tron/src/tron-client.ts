// SPDX-License-Identifier: Apache-2.0
import {
  ChainClientError,
  IncompleteBlockError,
  parseEndpoint,
  WrongChainError,
  readRegistered,
} from '@chainwatch/chain-core';
import type {
  BalanceQuery,
  Block,
  BlockHeader,
  BlockRef,
  ChainClient,
  ChainClientOptions,
  InclusionProof,
  Network,
  NodeUpgrade,
  ReadBlockOptions,
  TokenMetadata,
  Upgrade,
} from '@chainwatch/chain-core';
import { EvmApi } from './evm-api.ts';
import { EVM_INTERFACE } from './interfaces.ts';
import { findNewUpgrades } from './find-new-upgrades.ts';
import { readBalances } from './read-balances.ts';
import { readEvmBlock } from './read-evm-block.ts';
import {
  findFinalized,
  findHeaderByHash,
  findHeaderByNumber,
  hasWallet,
  readHead,
  readHeaders,
  requireEvm,
} from './read-headers.ts';
import { readProofs } from './read-proofs.ts';
import { readTokens } from './read-tokens.ts';
import { readWalletBlock } from './read-wallet-block.ts';
import type { Session } from './session.ts';
import { WalletApi } from './wallet-api.ts';
import { parseWalletBlock } from './parse-wallet-block.ts';

/** One node of TRON, by its wallet API, its Ethereum-compatible interface, or both. */
export class TronClient implements ChainClient {
  readonly network: Network;
  readonly label: string;
  readonly #session: Session;

  constructor(options: ChainClientOptions) {
    this.network = options.network;
    const { session, label } = createSession(options);
    this.#session = session;
    this.label = label;
  }

  async verifyChain(signal?: AbortSignal): Promise<void> {
    const { evm, wallet } = this.#session;
    await Promise.all([
      wallet && this.#verifyGenesis(wallet, signal),
      evm && this.#verifyChainId(evm, signal),
    ]);
  }

  readHead(signal?: AbortSignal): Promise<BlockHeader> {
    return readHead(this.#session, signal);
  }

  findFinalized(signal?: AbortSignal): Promise<BlockRef | undefined> {
    return findFinalized(this.#session, signal);
  }

  findHeaderByNumber(number: number, signal?: AbortSignal): Promise<BlockHeader | undefined> {
    return findHeaderByNumber(this.#session, number, signal);
  }

  findHeaderByHash(hash: string, signal?: AbortSignal): Promise<BlockHeader | undefined> {
    return findHeaderByHash(this.#session, hash, signal);
  }

  readHeaders(from: number, to: number, signal?: AbortSignal): Promise<BlockHeader[]> {
    return readHeaders(this.#session, { from, to, signal });
  }

  async readBlock(ref: BlockRef, signal?: AbortSignal, options?: ReadBlockOptions): Promise<Block> {
    try {
      return await (hasWallet(this.#session)
        ? readWalletBlock(this.#session, { ref, signal, options })
        : readEvmBlock(requireEvm(this.#session), { ref, signal, options }));
    } catch (error) {
      if (!(error instanceof TypeError || error instanceof SyntaxError || error instanceof RangeError))
        throw error;
      // Values of a wrong type: the answer was not what it claimed to be.
      throw new IncompleteBlockError(`block ${ref.number} ${ref.hash} could not be read: ${error.message}`, {
        cause: error,
      });
    }
  }

  async readProofs(
    ref: BlockRef,
    hashes: readonly string[],
    signal?: AbortSignal,
  ): Promise<Map<string, InclusionProof>> {
    if (hasWallet(this.#session)) return readProofs(this.#session, { ref, hashes, signal });
    const proof: InclusionProof = {
      type: 'none',
      reason: 'Only the wallet API of a node tells the bytes that a block covers.',
      othersMayShow: true,
    };
    return new Map(hashes.map((hash) => [hash, proof]));
  }

  readBalances(
    at: BlockRef,
    queries: readonly BalanceQuery[],
    signal?: AbortSignal,
  ): Promise<(bigint | undefined)[]> {
    return readBalances(this.#session, { at, queries, signal });
  }

  readTokens(
    assetGids: readonly string[],
    signal?: AbortSignal,
    moved?: ReadonlyMap<string, bigint>,
  ): Promise<(TokenMetadata | undefined)[]> {
    return readRegistered(this.network, assetGids, (others) =>
      readTokens(this.#session, { assetGids: others, moved, signal }),
    );
  }

  async findNewUpgrades(
    known: readonly Upgrade[],
    signal?: AbortSignal,
  ): Promise<readonly NodeUpgrade[] | undefined> {
    const { wallet } = this.#session;
    return wallet && findNewUpgrades(wallet, { known, nowMs: Date.now(), signal });
  }

  close(): void {
    this.#session.wallet?.close();
    this.#session.beside?.close();
    this.#session.evm?.close();
  }

  /** A chain's id is the end of its genesis block's. */
  async #verifyGenesis(wallet: WalletApi, signal?: AbortSignal): Promise<void> {
    const genesis = parseWalletBlock(
      'getblockbynum',
      await wallet.call('wallet/getblockbynum', { num: 0 }, signal),
    );
    if (genesis === undefined)
      throw new ChainClientError('getblockbynum: expected the genesis block, got none');
    this.#expectChain(genesis.blockID);
  }

  /** Java-tron before 4.4 answers with the genesis block's whole id. */
  async #verifyChainId(evm: EvmApi, signal?: AbortSignal): Promise<void> {
    const result = await evm.call('eth_chainId', [], signal);
    if (typeof result !== 'string' || !/^0x[0-9a-fA-F]+$/.test(result))
      throw new ChainClientError(`eth_chainId: expected a quantity, got ${typeof result}`);
    this.#expectChain(result.slice(2).toLowerCase());
  }

  #expectChain(id: string): void {
    const got = `tron:0x${Number.parseInt(id.slice(-8), 16).toString(16)}`;
    if (got !== this.network.gid)
      throw new WrongChainError(`node serves another chain: expected ${this.network.gid}, got ${got}`);
  }
}

/**
 * The path of the Ethereum-compatible interface on nodes and gateways, by which a URL from the configuration
 * without an interface name is recognized.
 */
const EVM_PATH = /\/jsonrpc\/?(?:$|\?)/;

function createSession({
  network,
  dial,
  timeoutMs = 10_000,
  concurrency = 16,
  ...endpoints
}: ChainClientOptions): { session: Session; label: string } {
  const { endpointUrl, interfaceName, otherUrls } = endpoints;
  const evmUrl = otherUrls?.[EVM_INTERFACE];
  const endpoint = parseEndpoint(endpointUrl);
  const isEvm = interfaceName === EVM_INTERFACE || EVM_PATH.test(endpoint.path);
  const evmEndpoint = isEvm ? endpoint : evmUrl === undefined ? undefined : parseEndpoint(evmUrl);
  const options = { dial, timeoutMs, concurrency };
  const session: Session = {
    network,
    wallet: isEvm ? undefined : new WalletApi({ ...options, endpoint }),
    evm: evmEndpoint && new EvmApi({ ...options, endpoint: evmEndpoint }),
    ...(isEvm &&
      EVM_PATH.test(endpoint.path) && {
        beside: new WalletApi({
          ...options,
          endpoint: { ...endpoint, path: endpoint.path.replace(/\/jsonrpc\/?/, '') },
        }),
      }),
    capabilities: {
      hasGetBlock: true,
      solidified: 'solidity_block',
      hasBlockReceipts: true,
      hasWalletBeside: true,
      headerVersion: 0,
    },
  };
  return { session, label: endpoint.label };
}
