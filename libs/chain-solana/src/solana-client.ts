// SPDX-License-Identifier: Apache-2.0
import {
  parseEndpoint,
  WrongChainError,
  readRegistered,
  type BalanceQuery,
  type Block,
  type BlockHeader,
  type BlockRef,
  type BlocksOfAddresses,
  type BlocksWanted,
  type ChainClient,
  type ChainClientOptions,
  type InclusionProof,
  type Network,
  type NodeUpgrade,
  type ReadBlockOptions,
  type TokenMetadata,
  type Upgrade,
  isActiveUpgrade,
  type ProofsQuery,
} from '@chainwatch/chain-core';
import { z } from 'zod';
import { ConsensusBook } from './consensus-book.ts';
import { findBlocksOf } from './find-blocks-of.ts';
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
import { RpcClient } from './rpc-client.ts';
import type { Session } from './session.ts';
import { SignatureBook } from './signature-book.ts';
import { SlotBook } from './slot-book.ts';
import { TouchBook } from './touch-book.ts';
import { VERSION_MAX } from './wire/wire-transaction.ts';
import { readAccounts, type ChainAccount } from './read-accounts.ts';
import { PublicKey } from '@solana/web3.js';
import { METADATA_PROGRAM, TOKEN_2022_PROGRAM, TOKEN_PROGRAM } from './programs.ts';
import {
  findExtensionNames,
  findUiMultiplier,
  parseMetaplexNames,
  parseMintDecimals,
} from './token-metadata.ts';

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

const FEATURE_PROGRAM = 'Feature111111111111111111111111111111111111';
/** Layout of a feature account: whether it is active (u8), and the slot since when (u64, little-endian). */
const FEATURE_BYTES = 9;

/** Upgrades of `known` whose feature account is active although their row has no past date. */
export async function findNewUpgrades(
  session: Session,
  {
    known,
    nowMs,
    signal,
  }: { readonly known: readonly Upgrade[]; readonly nowMs: number; readonly signal?: AbortSignal },
): Promise<readonly NodeUpgrade[]> {
  const asked = known
    .filter((row) => !isActiveUpgrade(row, nowMs))
    .flatMap(({ name, signals }) => signals.map((key) => ({ name, key })));
  if (asked.length === 0) return [];
  const accounts = await readAccounts(
    session,
    asked.map(({ key }) => key),
    { signal },
  );
  return asked.flatMap(({ name }, index) => {
    const slot = findActivation(accounts[index]?.value ?? null);
    return slot === undefined ? [] : [{ name, isActive: true, at: `slot ${slot}` }];
  });
}

function findActivation(account: ChainAccount | null): bigint | undefined {
  if (account === null || account.owner !== FEATURE_PROGRAM) return undefined;
  const { data } = account;
  if (data.length < FEATURE_BYTES || data[0] !== 1) return undefined;
  return new DataView(data.buffer, data.byteOffset).getBigUint64(1, true);
}

const answerSchema = z
  .object({ slot: z.number(), transaction: z.object({ signatures: z.array(z.string()).min(1) }) })
  .nullable();

/** There are none: what is told instead are the signatures. @throws ChainClientError */
export async function readProofs(
  session: Session,
  { ref, hashes, signal }: ProofsQuery,
): Promise<Map<string, InclusionProof>> {
  const proofs = new Map<string, InclusionProof>();
  await Promise.all(
    hashes.map(async (hash) => {
      const signatures = await findSignatures(session, { ref, hash, signal });
      if (signatures === undefined) return;
      proofs.set(hash, {
        type: 'none',
        reason:
          'The hash of a block of Solana covers no tree of transactions: inclusion is the word of nodes. The signatures show who signed.',
        signatures,
      });
    }),
  );
  return proofs;
}

/** Undefined where the slot has no such transaction. */
async function findSignatures(
  { rpc, versions }: Session,
  { ref, hash, signal }: { readonly ref: BlockRef; readonly hash: string; readonly signal?: AbortSignal },
): Promise<readonly string[] | undefined> {
  const options = { encoding: 'json', commitment: 'confirmed', maxSupportedTransactionVersion: versions.max };
  const answer = parse(
    'getTransaction',
    answerSchema,
    await rpc.call('getTransaction', [hash, options], signal),
  );
  return answer?.slot === ref.number ? answer.transaction.signatures : undefined;
}

const METADATA_SEED = Buffer.from('metadata');
const METADATA_PROGRAM_KEY = new PublicKey(METADATA_PROGRAM);

/** Metadata of mints, in order; undefined: not a mint. Names come from the mint (Token-2022), else from Metaplex, else they are empty. */
async function readTokens(
  session: Session,
  assetGids: readonly string[],
  signal?: AbortSignal,
): Promise<(TokenMetadata | undefined)[]> {
  const prefix = `${session.network.gid}/${session.network.tokenNamespace}:`;
  const mints = [
    ...new Set(assetGids.filter((gid) => gid.startsWith(prefix)).map((gid) => gid.slice(prefix.length))),
  ];
  const keys = mints.flatMap((mint) => [mint, metadataAddress(mint)]);
  const accounts = await readAccounts(session, keys, { signal });
  const tokens = new Map(
    mints.map((mint, position) => [
      `${prefix}${mint}`,
      toToken(mint, accounts[2 * position]!.value, accounts[2 * position + 1]!.value),
    ]),
  );
  return assetGids.map((gid) => tokens.get(gid));
}

function metadataAddress(mint: string): string {
  const seeds = [METADATA_SEED, METADATA_PROGRAM_KEY.toBytes(), new PublicKey(mint).toBytes()];
  return PublicKey.findProgramAddressSync(seeds, METADATA_PROGRAM_KEY)[0].toBase58();
}

function toToken(
  mint: string,
  account: ChainAccount | null,
  metadata: ChainAccount | null,
): TokenMetadata | undefined {
  if (account === null || (account.owner !== TOKEN_PROGRAM && account.owner !== TOKEN_2022_PROGRAM))
    return undefined;
  const decimals = parseMintDecimals(account.data);
  if (decimals === undefined) return undefined;
  const names =
    findExtensionNames(account.data) ??
    (metadata?.owner === METADATA_PROGRAM ? parseMetaplexNames(metadata.data, mint) : undefined);
  const symbol = names?.symbol ?? '';
  const uiMultiplier = account.owner === TOKEN_2022_PROGRAM ? findUiMultiplier(account.data) : undefined;
  return {
    name: names?.name || symbol,
    symbol,
    decimals,
    ...(uiMultiplier !== undefined && { uiMultiplier }),
  };
}
