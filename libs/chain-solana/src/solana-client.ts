// SPDX-License-Identifier: Apache-2.0
import { parseEndpoint, WrongChainError, readRegistered } from '@chainwatch/chain-core';
import type {
  BalanceQuery,
  Block,
  BlockHeader,
  BlockRef,
  BlocksOfAddresses,
  BlocksWanted,
  ChainClient,
  ChainClientOptions,
  InclusionProof,
  Network,
  NodeUpgrade,
  ReadBlockOptions,
  TokenMetadata,
  Upgrade,
} from '@chainwatch/chain-core';
import { z } from 'zod';
import { ConsensusBook } from './consensus-book.ts';
import { findBlocksOf } from './find-blocks-of.ts';
import { findNewUpgrades } from './find-new-upgrades.ts';
import { listTransactions } from './list-transactions.ts';
import { solanaCatalogue } from './networks.ts';
import { readBalances } from './read-balances.ts';
import { readBlock } from './read-block.ts';
import {
  findFinalized,
  findHeaderByHash,
  findHeaderByNumber,
  parse,
  readHead,
  readHeaders,
} from './read-headers.ts';
import { readProofs } from './read-proofs.ts';
import { readTokens } from './read-tokens.ts';
import { RpcClient } from './rpc-client.ts';
import type { Session } from './session.ts';
import { SignatureBook } from './signature-book.ts';
import { SlotBook } from './slot-book.ts';
import { TouchBook } from './touch-book.ts';
import { VERSION_MAX } from './wire/wire-transaction.ts';

/** A local cluster has a genesis of its own. */
const LOCAL = 'solana:localnet';
const GENESIS_CHARACTERS = 32;

/** One Solana node. */
export class SolanaClient implements ChainClient {
  readonly network: Network;
  readonly label: string;
  readonly #session: Session;

  constructor({ network, endpointUrl, dial, timeoutMs = 10_000, concurrency = 16 }: ChainClientOptions) {
    const endpoint = parseEndpoint(endpointUrl);
    this.network = network;
    this.label = endpoint.label;
    const rpc = new RpcClient({ endpoint, timeoutMs, concurrency, dial });
    this.#session = {
      network,
      rpc,
      slots: new SlotBook(),
      touches: new TouchBook(),
      signatures: new SignatureBook(),
      versions: { max: VERSION_MAX },
      consensus: new ConsensusBook(),
    };
  }

  async verifyChain(signal?: AbortSignal): Promise<void> {
    const genesis = parse(
      'getGenesisHash',
      z.string().min(GENESIS_CHARACTERS),
      await this.#session.rpc.call('getGenesisHash', [], signal),
    );
    const got = `solana:${genesis.slice(0, GENESIS_CHARACTERS)}`;
    const isKnown = solanaCatalogue.networks.some(({ gid }) => gid === got);
    if (got === this.network.gid || (this.network.gid === LOCAL && !isKnown)) return;
    throw new WrongChainError(`node serves another chain: expected ${this.network.gid}, got ${got}`);
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

  readBlock(ref: BlockRef, signal?: AbortSignal, options?: ReadBlockOptions): Promise<Block> {
    return readBlock(this.#session, { ref, signal, options });
  }

  readProofs(
    ref: BlockRef,
    hashes: readonly string[],
    signal?: AbortSignal,
  ): Promise<Map<string, InclusionProof>> {
    return readProofs(this.#session, { ref, hashes, signal });
  }

  listTransactions(ref: BlockRef, signal?: AbortSignal): Promise<readonly string[]> {
    return listTransactions(this.#session, ref, signal);
  }

  findBlocksOf(wanted: BlocksWanted, signal?: AbortSignal): Promise<BlocksOfAddresses> {
    return findBlocksOf(this.#session, wanted, signal);
  }

  readBalances(
    at: BlockRef,
    queries: readonly BalanceQuery[],
    signal?: AbortSignal,
  ): Promise<(bigint | undefined)[]> {
    return readBalances(this.#session, { at, queries, signal });
  }

  readTokens(assetGids: readonly string[], signal?: AbortSignal): Promise<(TokenMetadata | undefined)[]> {
    return readRegistered(this.network, assetGids, (others) => readTokens(this.#session, others, signal));
  }

  findNewUpgrades(known: readonly Upgrade[], signal?: AbortSignal): Promise<readonly NodeUpgrade[]> {
    return findNewUpgrades(this.#session, { known, nowMs: Date.now(), signal });
  }

  close(): void {
    this.#session.rpc.close();
  }
}
