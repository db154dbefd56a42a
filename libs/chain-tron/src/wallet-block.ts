import { ChainClientError } from '@chainwatch/chain-core';

/** Shapes of the wallet API. Fields with their default value (0, empty) are left out by the node. */
export interface WalletHeader {
  readonly timestamp?: number;
  readonly txTrieRoot?: string;
  readonly parentHash?: string;
  readonly number?: number;
  readonly witness_id?: number;
  /** 41…; of the genesis block a text. */
  readonly witness_address?: string;
  readonly version?: number;
  readonly accountStateRoot?: string;
}

export interface WalletBlock {
  readonly blockID: string;
  readonly block_header: { readonly raw_data: WalletHeader };
  readonly transactions?: readonly WalletTransaction[];
}

export interface WalletTransaction {
  readonly txID: string;
  readonly raw_data_hex: string;
  readonly signature?: readonly string[];
  readonly ret?: readonly Readonly<Record<string, unknown>>[];
}

/** What a transaction did: `gettransactioninfobyblocknum`. */
export interface TransactionInfo {
  readonly id: string;
  readonly blockNumber?: number;
  readonly blockTimeStamp?: number;
  /** Sun burned by the sender: energy, bandwidth, memo, new account, several signatures. */
  readonly fee?: number | string;
  readonly receipt?: { readonly result?: string };
  readonly result?: string;
  readonly assetIssueID?: string;
  readonly log?: readonly WalletLog[];
  readonly internal_transactions?: readonly InternalTransaction[];
}

export interface WalletLog {
  /** 20 bytes without `41`; no prefix on any of these. */
  readonly address?: string;
  readonly topics?: readonly string[];
  readonly data?: string;
}

export interface InternalTransaction {
  readonly caller_address?: string;
  readonly transferTo_address?: string;
  readonly callValueInfo?: readonly { readonly callValue?: number | string; readonly tokenId?: string }[];
  /** Hexadecimal text: `call`, `create`, `suicide`, or a word for what moves nothing (votes, stakes). */
  readonly note?: string;
  readonly rejected?: boolean;
}

/** A block, undefined for `{}`: the node has none there. @throws ChainClientError for anything else */
export function parseWalletBlock(method: string, json: unknown): WalletBlock | undefined {
  if (typeof json !== 'object' || json === null || Array.isArray(json))
    throw new ChainClientError(`${method}: expected a block, got ${json === null ? 'null' : typeof json}`);
  if (Object.keys(json).length === 0) return undefined;
  const block = json as Partial<WalletBlock>;
  if (typeof block.blockID !== 'string' || typeof block.block_header?.raw_data !== 'object')
    throw new ChainClientError(`${method}: expected a block with an id and a header, got one without`);
  if (block.transactions !== undefined && !Array.isArray(block.transactions))
    throw new ChainClientError(
      `${method}: expected a list of transactions, got ${typeof block.transactions}`,
    );
  return block as WalletBlock;
}

/** The list, undefined for `{}`: the node does not have that block (an empty one gives `[]`). @throws ChainClientError for anything else */
export function parseInfos(method: string, json: unknown): readonly TransactionInfo[] | undefined {
  if (Array.isArray(json)) return json as TransactionInfo[];
  if (typeof json === 'object' && json !== null && Object.keys(json).length === 0) return undefined;
  throw new ChainClientError(`${method}: expected a list, got ${json === null ? 'null' : typeof json}`);
}
