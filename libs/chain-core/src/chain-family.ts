// SPDX-License-Identifier: Apache-2.0
import type { AssetGid } from '@chainwatch/common/caip';
import type { Block, BlockHeader, BlockRef, Coin, Transaction, UtxoOutput } from './block.ts';
import type { ChainEndpoint, NodeInterface } from './chain-endpoint.ts';
import type { FamilyRpc } from './family-rpc.ts';
import type { NetworkCatalogue } from './network-catalogue.ts';
import type { ProbedNetwork, ProbeOptions } from './network-probe.ts';
import type { InclusionProof } from './inclusion-proof.ts';
import type { ChainFamilyName, Network } from './network.ts';
import type { UiMultiplier } from './ui-multiplier.ts';
import type { Calendar, Upgrade } from './upgrade.ts';

/** What is known of a family before its code is loaded. */
export interface FamilyManifest {
  readonly name: ChainFamilyName;
  /** For people: `Bitcoin`. */
  readonly displayName: string;
  /** CAIP-2 namespace. */
  readonly namespace: string;
  readonly catalogue: NetworkCatalogue;
  /**
   * What proves a block of a network at a height: `header_hash`, `receipts_root`, … Weaker where the network's document says
   * so. Absent: the family does not tell.
   */
  proofsOf?(network: Network, number: number): readonly string[];
  /** The upgrades of its networks, as this release knows them. */
  readonly calendar: Calendar;
  /** CAIP-19 namespaces of its assets, without slip44. */
  readonly assetNamespaces: readonly string[];
  /**
   * Interfaces that its nodes serve, the usual one first. Each may have a URL of its own: the first one is
   * `endpoint_url` in the API, any other one `<name>_endpoint_url`.
   */
  readonly interfaces: readonly [NodeInterface, ...NodeInterface[]];
  /** The one spelling of a CAIP-2 reference, where the family accepts several. */
  normalizeReference?(reference: string): string;
}

/** A family's line in the registry. */
export interface FamilyEntry extends FamilyManifest {
  /** Imports the family's code. */
  load(): Promise<ChainNotation>;
}

/** How a family writes its chains, addresses and assets. Nothing here needs a node. */
export interface ChainNotation extends FamilyManifest {
  /**
   * Canonical form of an address of this family, for storage and matching.
   * @throws InvalidAddressError with a public text that says what was expected and what came
   */
  parseAddress(input: string): ParsedAddress;
  /** How a canonical address is shown (EVM: EIP-55). Absent where the canonical form is what is shown. */
  displayAddress?(canonical: string): string;
  /** Canonical addresses from which nothing ever comes back: the zero address and the well-known burn addresses. */
  readonly burnAddresses?: readonly string[];
  /**
   * Canonical CAIP-19 gid of an asset of `network` from its path form, aliases resolved (`erc20:0xAB…` on BSC → `bep20:0xab…`).
   * @throws InvalidAssetError
   */
  parseAssetPath(network: Network, assetPath: string): AssetGid;
  /** What the RPC gateway has to know of its nodes. */
  readonly rpc: FamilyRpc;
}

/** What a family gives the rest of the system. Optional abilities are optional properties. */
export interface ChainFamily extends ChainNotation {
  /** A client of one endpoint. Cheap: connects on first use. */
  createClient(options: ChainClientOptions): ChainClient;
  /** Measures what a node's blocks prove, from its last 50. Absent: there is nothing to choose. */
  probe?(options: ProbeOptions & { readonly dial?: Dial }): Promise<ProbedNetwork>;
  /** Nodes tell balances at their head alone and, while they take a block, perhaps with a part of it. */
  readonly tellsHeadOnly?: boolean | undefined;
  /** Requests to a node that reading these balances takes, a list of calls as one. Absent: one for each 500 of them. */
  readonly countBalanceRequests?: ((queries: readonly BalanceQuery[]) => number) | undefined;
  /** UTXO chains only: maps scripts to addresses and back. */
  readonly utxo?: UtxoCodec;
  /** Addresses derived from extended public keys. */
  readonly hd?: HdDerivation;
}

/** Outputs are matched by script: an address has the same script on every network that knows the address. */
export interface UtxoCodec {
  /** Blocks on top of a coinbase (its own included) before it may be spent on `network`: 100 for Bitcoin. */
  coinbaseMaturityOf(network: Network): number;
  /** Hex of the script that pays to a canonical address. */
  matchKeyOf(address: string): string;
  /** Canonical address of a script on `network`; undefined for scripts without one (OP_RETURN, P2PK, bare multisig). */
  findAddress(network: Network, matchKey: string): string | undefined;
}

/** Addresses of accounts, without their private keys (BIP-32, BIP-44/49/84/86). */
export interface HdDerivation {
  /**
   * What an extended public key and its derivation path say.
   * @param networkGid needed where the path leaves the network open (coin type 1 stands for every test
   * network)
   * @throws InvalidPublicKeyError with the field at fault; `isConflict` when each is well-formed but they disagree
   */
  parsePublicKey(input: PublicKeyInput): ParsedPublicKey;
  /** Starts the thread that derives, and keeps it: without it the first request waits for its start. */
  start(): void;
  /** In the order of `indexes`, computed off the main thread; at most 1,000 a call. */
  deriveAddresses(request: DerivationRequest, signal?: AbortSignal): Promise<DerivedAddress[]>;
}

export interface PublicKeyInput {
  readonly extendedPublicKey: string;
  /** `m/84'/0'/0'`; `h` and `H` for `'` are accepted. */
  readonly derivationPath: string;
  readonly networkGid?: string;
}

export interface ParsedPublicKey {
  /** As given, trimmed. */
  readonly extendedPublicKey: string;
  /** Hex of the key's own fingerprint, 8 digits. */
  readonly fingerprint: string;
  /** Written with `'`. */
  readonly derivationPath: string;
  readonly purpose: number;
  readonly accountIndex: number;
  readonly addressFormat: string;
  /** The networks whose addresses the path stands for, the default one first; several for coin type 1 alone. */
  readonly networkGids: readonly string[];
}

export interface DerivationRequest {
  readonly extendedPublicKey: string;
  readonly addressFormat: string;
  readonly networkGid: string;
  /** 0 receive, 1 change. */
  readonly change: number;
  /** Each 0 … 2³¹−1. */
  readonly indexes: readonly number[];
}

export interface DerivedAddress {
  readonly index: number;
  readonly address: ParsedAddress;
}

export interface ParsedAddress {
  /** Stored, matched and shown. EVM: lower-case hex in storage; `display` carries EIP-55. */
  readonly canonical: string;
  readonly display: string;
  /** `evm`, `p2wpkh`, …: what the API shows as `format`. */
  readonly format: string;
  /** The networks that know this address, CAIP-2; absent where every network of the family does. */
  readonly networkGids?: readonly string[];
  /**
   * The same text as networks read it that write such an address in another way. Each counts on its own networks alone.
   * Absent: no network does.
   */
  readonly others?: readonly ParsedAddress[];
}

export interface ChainClientOptions extends ChainEndpoint {
  readonly network: Network;
  /** Opens sockets; the guarded dial in production. A family passes it to its transport. */
  readonly dial?: Dial;
  /** One request's time-out, default 10,000. */
  readonly timeoutMs?: number;
  /** Concurrent requests to this endpoint, default 16, on Bitcoin 8. */
  readonly concurrency?: number;
  /** An index of addresses beside the node (Bitcoin: an Esplora API), for what the node cannot tell. */
  readonly indexUrl?: string;
}

/**
 * Checks a URL's host and gives the socket options that pin the checked address, for `net.connect`, `tls.connect`
 * and `ws` alike (the `lookup` option of node's net).
 */
export interface Dial {
  readonly lookup: (
    hostname: string,
    options: object,
    callback: (
      error: Error | null,
      address: string | { address: string; family: number }[],
      family?: number,
    ) => void,
  ) => void;
  /** @throws BlockedAddressError when `url` names a literal address that is not allowed (no look-up happens for those). */
  check(url: string): void;
  /** @throws OwnServiceError when one of the addresses, at the port, is a server of the service itself. */
  checkAddresses?(host: string, port: number, addresses: readonly string[]): Promise<void>;
}

/** One node of one network. Every call rejects with a `ChainClientError`, takes a signal and has a time-out. */
export interface ChainClient {
  readonly network: Network;
  /** Endpoint without credentials, path or query, for logs: `https://host:port`. */
  readonly label: string;
  /**
   * Asks the node which chain it serves.
   * @throws WrongChainError (not retryable) when the node is of another chain
   */
  verifyChain(signal?: AbortSignal): Promise<void>;
  readHead(signal?: AbortSignal): Promise<BlockHeader>;
  /** The node's finality, undefined where it does not tell. */
  findFinalized(signal?: AbortSignal): Promise<BlockRef | undefined>;
  /** Canonical header at a height; undefined when the node has none there (yet). */
  findHeaderByNumber(number: number, signal?: AbortSignal): Promise<BlockHeader | undefined>;
  findHeaderByHash(hash: string, signal?: AbortSignal): Promise<BlockHeader | undefined>;
  /** Canonical headers of [from, to], ascending, linked by parent; shorter when the node has not reached `to`. */
  readHeaders(from: number, to: number, signal?: AbortSignal): Promise<BlockHeader[]>;
  /**
   * Push of heads, where the endpoint offers it. Calls `onEnd` once when the subscription ends. Returns a
   * function that ends it.
   */
  subscribeHeads?(onHead: (header: BlockHeader) => void, onEnd: (error: Error) => void): () => void;
  /**
   * A whole block by hash, decoded, proved complete. Where the evidence follows the block (`Network.evidenceDelayMs`),
   * its transactions are `settling` until a later header proves them: a call after that returns the same block proved,
   * with `provedBy`.
   * @throws BlockNotFoundError, IncompleteBlockError (retryable on another endpoint), ChainClientError,
   * UnknownContentError when it holds something unknown, unless `takeUnknown`
   */
  readBlock(ref: BlockRef, signal?: AbortSignal, options?: ReadBlockOptions): Promise<Block>;
  /**
   * Proves the senders of some transactions of a block that was read before. For families whose `readBlock`
   * leaves that open, because it costs more than all other proofs. Asks no node.
   * @throws IncompleteBlockError: the block must be read again; from then on an answer with a wrong sender is
   * refused
   */
  proveSenders?(ref: BlockRef, transactions: readonly Transaction[], signal?: AbortSignal): Promise<void>;
  /**
   * Shows that transactions are in a block, which is read once: by hash, without those that the block does not have. What is
   * given was checked against the block's hash. Absent: it cannot be shown.
   * @throws BlockNotFoundError, IncompleteBlockError, ChainClientError
   */
  readProofs?(
    ref: BlockRef,
    hashes: readonly string[],
    signal?: AbortSignal,
  ): Promise<ReadonlyMap<string, InclusionProof>>;
  /**
   * The final blocks in which addresses may take part in a transaction. Undefined where only the blocks themselves tell:
   * the caller must then read all of them.
   * @throws BlockNotFoundError when the node does not have (all that it takes of) these blocks
   */
  findBlocksOf?(wanted: BlocksWanted, signal?: AbortSignal): Promise<BlocksOfAddresses | undefined>;
  /**
   * Balances at a block, in the order of `queries`, base units; undefined where the contract does not answer balanceOf.
   * UTXO chains have none: their balances come from the UTXO set that the analyzer keeps.
   * @throws BlockNotFoundError when the node does not have (the state of) that block
   */
  readBalances(
    at: BlockRef,
    queries: readonly BalanceQuery[],
    signal?: AbortSignal,
  ): Promise<(bigint | undefined)[]>;
  /**
   * Hashes of every transaction in a block, in order, read in another way than `readBlock` reads them. Families whose
   * headers prove their list have no such ability.
   * @throws BlockNotFoundError when another block stands there
   */
  listTransactions?(ref: BlockRef, signal?: AbortSignal): Promise<readonly string[]>;
  /** Unconfirmed transactions, where the node serves them. */
  readonly mempool?: MempoolReader;
  /** UTXO chains: coins that an address had before it was watched. */
  readonly coins?: CoinReader;
  /**
   * Metadata of token contracts, in order; undefined: the contract is not a token.
   * @param moved an amount that a transfer of each moved, where one is known: of a collection from before the standard it is
   * the id of a token, by which the contract is known
   */
  readTokens?(
    assetGids: readonly string[],
    signal?: AbortSignal,
    moved?: ReadonlyMap<string, bigint>,
  ): Promise<(TokenMetadata | undefined)[]>;
  /**
   * What the node tells of upgrades and `known`, the calendar of its network, does not: one that no row has, or one that is
   * active although its row has no past date. Undefined where the node cannot tell.
   */
  findNewUpgrades?(
    known: readonly Upgrade[],
    signal?: AbortSignal,
  ): Promise<readonly NodeUpgrade[] | undefined>;
  close(): void;
}

/** An upgrade as a node tells it. */
export interface NodeUpgrade {
  /** That of the calendar where a row has it, otherwise the node's. */
  readonly name: string;
  readonly isActive: boolean;
  /** When, as the node tells it: `2026-12-01T10:00:00.000Z`, `slot 447120000`. */
  readonly at?: string;
}

export interface ReadBlockOptions {
  /**
   * Take a block with unknown parts. What is known is decoded, and proved as far as possible; the rest is
   * named in `Block.unknowns`. Transactions without a proof are `unproved`. A block with a missing part or
   * a contradiction is refused all the same.
   */
  readonly takeUnknown?: boolean;
  /**
   * No endpoint could give the block whole for a while: read it in the form that still answers (EVM: transactions are traced
   * one by one; Solana: by accounts, without instructions). What that form leaves out is unknown. Without it, such a block is
   * refused.
   */
  readonly takeUntraced?: boolean;
  /**
   * The block's transactions as an endpoint of another operator lists them (`ChainClient.listTransactions`). Undefined
   * where there is none or it does not answer. A family asks only where it cannot prove that the list is whole.
   */
  readonly listElsewhere?: (ref: BlockRef, signal?: AbortSignal) => Promise<readonly string[] | undefined>;
}

export interface BlocksWanted {
  readonly addresses: readonly string[];
  /** What earlier answers named in `accounts`, by address. */
  readonly accounts?: ReadonlyMap<string, readonly string[]>;
  readonly fromBlock: number;
  /** The family may stop earlier. */
  readonly toBlock: number;
}

export interface BlocksOfAddresses {
  /** Ascending. */
  readonly refs: readonly BlockRef[];
  /** No other block from `fromBlock` up to here concerns the addresses. */
  readonly toBlock: number;
  /** Accounts of an address that the blocks revealed and the chain may forget: the next question must name them. */
  readonly accounts?: ReadonlyMap<string, readonly string[]>;
  /** Only the word of the node's index says that no other block concerns them: endpoints of other operators may list more. */
  readonly isListed?: boolean;
}

export interface MempoolReader {
  /** Hashes of every transaction in the node's mempool, and the head it stands on. */
  readSnapshot(signal?: AbortSignal): Promise<MempoolSnapshot>;
  /**
   * In the order of `hashes`; undefined for one that has left the mempool. `index` is 0, `fee` is absent
   * unless the node tells it.
   */
  readTransactions(hashes: readonly string[], signal?: AbortSignal): Promise<(Transaction | undefined)[]>;
}

export interface MempoolSnapshot {
  readonly head: BlockRef;
  readonly hashes: readonly string[];
}

export interface CoinReader {
  /**
   * Every coin that `addresses` have, at one block (scantxoutset, or the index beside the node).
   * Undefined where neither can tell: the caller must then read the blocks themselves.
   */
  scanCoins(addresses: readonly string[], signal?: AbortSignal): Promise<CoinScan | undefined>;
  /**
   * The outputs that a block's transactions spend, by `<txid>:<vout>`. Undefined where the node cannot tell.
   * @throws BlockNotFoundError
   */
  readSpentOutputs(ref: BlockRef, signal?: AbortSignal): Promise<ReadonlyMap<string, UtxoOutput> | undefined>;
}

export interface CoinScan {
  readonly at: BlockRef;
  readonly coins: readonly Coin[];
}

export interface BalanceQuery {
  readonly address: string;
  readonly assetGid: string;
}

export interface TokenMetadata {
  readonly name: string;
  readonly symbol: string;
  /** Undefined: the contract does not say, or its tokens are not fungible. */
  readonly decimals: number | undefined;
  /** Its tokens are not fungible: what its transfers call an amount is an id. Absent: they are. */
  readonly isNft?: true;
  /** What wallets multiply its amounts with. Absent: nothing. */
  readonly uiMultiplier?: UiMultiplier;
}
