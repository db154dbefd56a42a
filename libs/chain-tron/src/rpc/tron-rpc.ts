// SPDX-License-Identifier: Apache-2.0
import {
  type FamilyRpc,
  type RpcTransactions,
  type RpcVerdict,
  readNumber,
  type BlockReader,
  keptAtMost,
  type CacheRule,
  type Pace,
  type AskPaths,
  type ChainEndpoint,
  type Network,
  type NodeHealth,
  type RpcPaths,
  type PathLookUp,
  type RpcMethods,
} from '@chainwatch/chain-core';
import {
  ETHEREUM_PROBE,
  ETHEREUM_FILTERS,
  ethereumSubscriptions,
  readEthereumHealth,
  UNKNOWN_FILTER,
  ethereumTransactions,
  ethereumBlockReaders,
  createEthereumCacheRules,
} from '@chainwatch/ethereum/rpc';
import { EVM_INTERFACE, WALLET_INTERFACE } from '../interfaces.ts';
import { createHash } from 'node:crypto';
import { bytesOf, readFields } from '../protobuf.ts';

/** JSON-RPC of java-tron, and its HTTP API whose paths (`wallet/getnowblock`) are the methods. */
const TRON_METHODS: RpcMethods = {
  // These take private keys.
  locked:
    /^(eth_sign|eth_sendTransaction$|(admin|personal|miner)_|wallet\/(gettransactionsign|addtransactionsign|easytransfer\w*|createaddress|generateaddress|monitor.*)$|monitor\/)/,
  send: /^(?!)$/,
  once: /^(eth_sendRawTransaction|buildTransaction|wallet\/(broadcast\w*|create\w+|transfer\w*|participate\w*|freeze\w*|unfreeze\w*|cancel\w*|withdraw\w*|delegate\w*|undelegate\w*|update\w*|vote\w*|proposal\w*|exchange\w*|deploy\w*|clearabi|setaccountid|accountpermissionupdate|trigger(smart)contract|marketsellasset|marketcancelorder|clearcontractabi|modify\w*|set\w+))$/,
  filter: /^eth_(new\w*Filter|getFilter(Changes|Logs)|uninstallFilter)$/,
  read: /^(eth_(get|call|estimate|gasPrice|chainId|block|syncing|protocolVersion|accounts|coinbase)\w*|net_(version|listening|peerCount)|web3_(clientVersion|sha3)|wallet(solidity|pbft)?\/(get\w+|list\w+|triggerconstantcontract|estimateenergy|validateaddress|scan\w+|isspend|total\w+|marketorder\w*))$/,
};

interface SentBody {
  /** Of `broadcasttransaction`: the signed part. */
  readonly raw_data_hex?: unknown;
  /** Of `broadcasthex`: the whole transaction. */
  readonly transaction?: unknown;
}

/** Transactions over the wallet API; their id is the hash of the signed part. */
const walletLookUp: PathLookUp = {
  hashOf: (method, body) => {
    try {
      const signed = findSigned(method, JSON.parse(body) as SentBody);
      return signed && createHash('sha256').update(signed).digest('hex');
    } catch {
      // No transaction, so the node's refusal is the answer.
      return undefined;
    }
  },
  // In a block; waiting for one, of which older nodes do not tell.
  questionsOf: (hash) => [
    ['/wallet/gettransactionbyid', { value: hash }],
    ['/wallet/gettransactionfrompending', { value: hash }],
  ],
  isKnown: (answer, hash) => (answer as { readonly txID?: unknown }).txID === hash,
  answerOf: (hash) => ({ result: true, txid: hash }),
};

function findSigned(method: string, { raw_data_hex: raw, transaction }: SentBody): Buffer | undefined {
  if (method === 'wallet/broadcasttransaction') return typeof raw === 'string' ? toBytes(raw) : undefined;
  if (method !== 'wallet/broadcasthex' || typeof transaction !== 'string') return undefined;
  return bytesOf(readFields(toBytes(transaction)), 1);
}

function toBytes(hex: string): Buffer {
  return Buffer.from(hex.replace(/^0x/i, ''), 'hex');
}

interface WalletBlock {
  readonly blockID?: string;
  readonly block_header?: { readonly raw_data?: { readonly number?: number; readonly timestamp?: number } };
}

/** java-tron's HTTP wallet API, by its paths. */
const walletPaths: RpcPaths = {
  interfaceName: WALLET_INTERFACE,
  pattern: /^\/(wallet|walletsolidity)\/[a-z0-9]{1,64}(\?|$)/i,
  urlsOf,
  // Errors come under status 200.
  isRefusal: (reply) => 'Error' in reply,
  readHealth,
  probe: ['/wallet/getblock', { detail: false }],
  lookUp: walletLookUp,
};

/** Each interface has an address of its own, or stands beside the other one. */
function urlsOf({ endpointUrl, interfaceName, otherUrls }: ChainEndpoint): { rpc: string; paths: string } {
  return {
    rpc:
      interfaceName === EVM_INTERFACE
        ? endpointUrl
        : (otherUrls?.[EVM_INTERFACE] ?? besideWallet(endpointUrl)),
    paths: endpointUrl,
  };
}

function besideWallet(url: string): string {
  const address = new URL(url);
  if (!/\/jsonrpc\/?$/.test(address.pathname))
    address.pathname = `${address.pathname.replace(/\/+$/, '').replace(/\/wallet$/, '')}/jsonrpc`;
  return address.href;
}

/** A chain's id is the end of its genesis block's. Blocks are asked for without transactions, where the node is not too old for that. */
async function readHealth(ask: AskPaths, { gid }: Network): Promise<NodeHealth> {
  const [genesis, latest] = await Promise.all([
    ask<WalletBlock>([
      ['/wallet/getblock', { id_or_num: '0', detail: false }],
      ['/wallet/getblockbynum', { num: 0 }],
    ]),
    ask<WalletBlock>([
      ['/wallet/getblock', { detail: false }],
      ['/wallet/getnowblock', {}],
    ]),
  ]);
  if (genesis.blockID === undefined || latest.blockID === undefined)
    throw new Error('getblock: expected a block with its id');
  const id = Number.parseInt(genesis.blockID.slice(-8), 16);
  const { number, timestamp } = latest.block_header?.raw_data ?? {};
  return {
    isRightChain: gid === `tron:0x${id.toString(16)}`,
    // The number 0 is left out.
    head: { number: number ?? 0, hash: latest.blockID, final: undefined, timeMs: timestamp },
  };
}

const aSecond = keptAtMost(1_000);

/** java-tron answers state calls at its latest block, whatever block they name, so no answer is historical. */
const stateAt = (index: number): CacheRule => ({
  ...aSecond,
  lifetimeOf: (question) => {
    const block = question.params[index];
    return typeof block === 'object' && block !== null ? undefined : aSecond.lifetimeOf(question);
  },
});

/** Methods that java-tron answers as Ethereum's nodes do. */
const AS_ETHEREUM: readonly string[] = [
  'eth_chainId',
  'net_version',
  'eth_getBlockByNumber',
  'eth_getBlockTransactionCountByNumber',
  'eth_getTransactionByBlockNumberAndIndex',
  'eth_getBlockByHash',
  'eth_getBlockReceipts',
  'eth_getTransactionByHash',
  'eth_getTransactionByBlockHashAndIndex',
  'eth_getTransactionReceipt',
  'eth_getLogs',
];

function createCacheRules(pace: Pace): ReadonlyMap<string, CacheRule> {
  const ethereum = createEthereumCacheRules(pace);
  return new Map([
    ...AS_ETHEREUM.map((method) => [method, ethereum.get(method)!] as const),
    ['eth_blockNumber', aSecond],
    ['eth_call', stateAt(1)],
    ['eth_getBalance', stateAt(1)],
    ['eth_getCode', stateAt(1)],
    ['eth_getStorageAt', stateAt(2)],
  ]);
}

const NUMBER = ['block_header', 'raw_data', 'number'];
const NAMED = /id_or_num/;

const header = (kind: (params: string) => string): BlockReader => ({
  tells: 'head',
  needsParams: true,
  kindOf: kind,
  read: (body) => readNumber(body, NUMBER),
});
const block = (...path: readonly string[]): BlockReader => ({
  tells: 'block',
  read: (body) => readNumber(body, path),
});

/** A solidified block is compared with solidified ones alone. */
const tronBlockReaders: ReadonlyMap<string, BlockReader> = new Map<string, BlockReader>([
  ...[...ethereumBlockReaders].filter(([method]) => TRON_METHODS.read.test(method)),
  ['wallet/getnowblock', header(() => 'head')],
  ['walletsolidity/getnowblock', header(() => 'solidified')],
  ['wallet/getblock', header((params) => (NAMED.test(params) ? 'block' : 'head'))],
  ['walletsolidity/getblock', header((params) => (NAMED.test(params) ? 'block' : 'solidified'))],
  ...['wallet', 'walletsolidity'].flatMap((side): [string, BlockReader][] => [
    [`${side}/getblockbynum`, block(...NUMBER)],
    [`${side}/getblockbyid`, block(...NUMBER)],
    [`${side}/getblockbylatestnum`, block('block', '0', ...NUMBER)],
    [`${side}/getblockbylimitnext`, block('block', '0', ...NUMBER)],
    [`${side}/gettransactioninfobyid`, block('blockNumber')],
    [`${side}/gettransactioninfobyblocknum`, block('0', 'blockNumber')],
  ]),
]);

const UNSUPPORTED = 'this node does not support';
const UNSUPPORTED_HEX = Buffer.from(UNSUPPORTED).toString('hex');
/** Larger answers are not searched for errors, because nodes' errors are short. */
const ERROR_BYTES_MAX = 16_384;

/**
 * Judges the errors that java-tron sends under status 200: from its rate limiter, on both interfaces; during
 * maintenance; and from a node configured without the call, as text or as hexadecimal text.
 */
function judgeText(body: Buffer): RpcVerdict {
  if (body.length > ERROR_BYTES_MAX) return 'answer';
  if (body.includes('"Error"')) {
    if (body.includes('lack of computing resources')) return 'busy';
    return body.includes('MaintenanceUnavailableException') ? 'unable' : 'answer';
  }
  return body.includes('CONTRACT_VALIDATE_ERROR') &&
    (body.includes(UNSUPPORTED) || body.includes(UNSUPPORTED_HEX))
    ? 'unable'
    : 'answer';
}

// cspell:ignore infoby receiptby
const PENDING =
  /^wallet\/(gettransaction(list)?frompending|getpendingsize|triggerconstantcontract|estimateenergy)$/;
const BY_HASH = /^wallet(solidity)?\/gettransaction(by|infoby|receiptby)id$/;

const tronTransactions: RpcTransactions = {
  viewOf: (method, params) => {
    if (PENDING.test(method))
      return method.endsWith('frompending') && !method.includes('list') ? 'transaction' : 'pending';
    return BY_HASH.test(method) ? 'transaction' : ethereumTransactions.viewOf(method, params);
  },
  // The wallet's API answers with an empty object.
  isUnknown: (reply) => /^\s*\{\s*\}\s*$/.test(reply) || ethereumTransactions.isUnknown(reply),
  broadcasts: /^(eth_sendRawTransaction|wallet\/broadcast(transaction|hex))$/,
};

export const tronRpc: FamilyRpc = {
  methods: TRON_METHODS,
  createCacheRules,
  blockReaders: tronBlockReaders,
  judgeError: () => 'answer',
  judgeText,
  transactions: tronTransactions,
  readHealth: readEthereumHealth,
  probe: ETHEREUM_PROBE,
  filters: { ...ETHEREUM_FILTERS, unknownAnswer: () => UNKNOWN_FILTER },
  subscriptions: ethereumSubscriptions,
  paths: walletPaths,
};
