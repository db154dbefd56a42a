import type { Block, BlockHeader, BlockRef } from './block.ts';
import type { Network } from './network.ts';

export type ChainFamilyName = 'evm' | 'bitcoin' | 'solana' | 'tron';

/** What a family gives the rest of the system. Optional abilities are optional properties. */
export interface ChainFamily {
  readonly name: ChainFamilyName;
  /** CAIP-2 namespace. */
  readonly namespace: string;
  readonly networks: readonly Network[];
  /**
   * Canonical form of an address of this family, for storage and matching.
   * @throws InvalidAddressError with a public text that says what was expected and what came
   */
  parseAddress(input: string): ParsedAddress;
  /**
   * Canonical CAIP-19 gid of an asset of `network` from its path form, aliases resolved (`erc20:0xAB…` on BSC → `bep20:0xab…`).
   * @throws InvalidAssetError
   */
  parseAssetPath(network: Network, assetPath: string): string;
  /** A client of one endpoint. Cheap: connects on first use. */
  createClient(options: ChainClientOptions): ChainClient;
}

export interface ParsedAddress {
  /** Stored, matched and shown. EVM: lower-case hex in storage; `display` carries EIP-55. */
  readonly canonical: string;
  readonly display: string;
  /** `evm`, `p2wpkh`, …: what the API shows as `format`. */
  readonly format: string;
}

export interface ChainClientOptions {
  readonly network: Network;
  readonly endpointUrl: string;
  /** Opens sockets; the guarded dial in production. A family passes it to its transport. */
  readonly dial?: Dial;
  /** One request's time-out, default 10,000. */
  readonly timeoutMs?: number;
  /** Requests under way at once on this endpoint, default 16. */
  readonly concurrency?: number;
}

/**
 * Checks a URL's host and gives the socket options that pin the checked address, for `net.connect`, `tls.connect`,
 * undici's `connect` and `ws` alike (the `lookup` option of node's net).
 */
export interface Dial {
  readonly lookup: (
    hostname: string,
    options: object,
    callback: (error: Error | null, address: string | { address: string; family: number }[], family?: number) => void,
  ) => void;
  /** @throws BlockedAddressError when `url` names a literal address that is not allowed (no look-up happens for those). */
  check(url: string): void;
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
  /** Push of heads where the endpoint has it; calls `onEnd` once when the subscription ends. Returns stop. */
  subscribeHeads?(onHead: (header: BlockHeader) => void, onEnd: (error: Error) => void): () => void;
  /**
   * A whole block by hash, decoded, proved complete.
   * @throws BlockNotFoundError, IncompleteBlockError (retryable on another endpoint), ChainClientError
   */
  readBlock(ref: BlockRef, signal?: AbortSignal): Promise<Block>;
  /**
   * Balances at a block, in the order of `queries`, base units; undefined where the contract does not answer balanceOf.
   * @throws BlockNotFoundError when the node does not have (the state of) that block
   */
  readBalances(at: BlockRef, queries: readonly BalanceQuery[], signal?: AbortSignal): Promise<(bigint | undefined)[]>;
  /** Metadata of token contracts, in order; undefined: the contract is not a token. */
  readTokens?(assetGids: readonly string[], signal?: AbortSignal): Promise<(TokenMetadata | undefined)[]>;
  close(): void;
}

export interface BalanceQuery {
  readonly address: string;
  readonly assetGid: string;
}

export interface TokenMetadata {
  readonly name: string;
  readonly symbol: string;
  readonly decimals: number;
}
