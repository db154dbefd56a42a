// SPDX-License-Identifier: Apache-2.0
import {
  findRawHex,
  type FamilyRpc,
  type RpcMethods,
  type RpcError,
  type RpcVerdict,
  type RpcTransactions,
} from '@chainwatch/chain-core';
import {
  createEthereumCacheRules,
  ETHEREUM_PROBE,
  ethereumBlockReaders,
  ETHEREUM_FILTERS,
  ethereumSubscriptions,
  readEthereumHealth,
  UNKNOWN_FILTER,
  ethereumTransactions,
} from '@chainwatch/ethereum/rpc';
import { keccak256Hex } from '../encode-rlp.ts';

const RATE_LIMITED =
  /rate.?limit|too many requests|request limit|compute units|(daily|monthly) (request|quota)|capacity .{0,80}exceeded/i;
// geth, erigon, nethermind, besu, and a proxy without a node.
const NOT_HERE =
  /missing trie node|header not found|block not found|^block 0x\w+ not found|unknown block|state (is )?(unavailable|not available|pruned)|historical state|no state available|service unavailable/i;
/** Only this much of a text is searched: texts come from strangers, and searching a long one costs time. */
const TEXT_MAX = 1_024;
/** The text of a revert is chosen by the contract's author, so it says nothing about the node. */
const REVERTED = /revert|VM exception/i;

/** Judges by the text, because every client uses the codes in its own way. */
export function judgeError({ code, message }: RpcError): RpcVerdict {
  if (code === 429) return 'busy';
  if (code === 3 || typeof message !== 'string') return 'answer';
  const text = message.slice(0, TEXT_MAX);
  if (REVERTED.test(text)) return 'answer';
  if (RATE_LIMITED.test(text)) return 'busy';
  return NOT_HERE.test(text) ? 'unable' : 'answer';
}

// The words of geth and erigon, nethermind, besu, openethereum.
const KNOWN = /already ?known|known transaction|already imported|already exists|already[ -]in/i;
const BLOB_TRANSACTION = 3;

/** The hash of a raw transaction is that of its bytes; for a blob transaction it does not cover the blobs sent with it. */
export function findKnownTransaction(method: string, error: string, raw: Buffer): string | undefined {
  if (method !== 'eth_sendRawTransaction' || raw[0] === BLOB_TRANSACTION || !KNOWN.test(error))
    return undefined;
  return `0x${keccak256Hex(raw)}`;
}

const SENDS = /^eth_sendRawTransaction$/;
const LIST = 0xc0;
const LONG_LIST = 0xf7;

const evmTransactions: RpcTransactions = {
  ...ethereumTransactions,
  broadcasts: SENDS,
  lookUp: {
    hashOf: (method, params) => {
      const raw = SENDS.test(method) ? findRawHex(params) : undefined;
      return raw && `0x${keccak256Hex(signedPart(Buffer.from(raw, 'hex')))}`;
    },
    questionsOf: (hash) => [
      ['eth_getTransactionByHash', [hash]],
      ['eth_getTransactionReceipt', [hash]],
    ],
  },
};

/**
 * The bytes that the hash covers: of a blob transaction with its blobs (EIP-4844, EIP-7594), the first item of the list
 * alone, which is a list itself.
 */
function signedPart(raw: Buffer): Buffer {
  if (raw[0] !== BLOB_TRANSACTION) return raw;
  const body = readListHead(raw, 1);
  const first = body && readListHead(raw, body.start);
  return first === undefined
    ? raw
    : Buffer.concat([raw.subarray(0, 1), raw.subarray(body!.start, first.end)]);
}

/** Where the items of the RLP list at `at` start and end; undefined if there is no list. */
function readListHead(
  bytes: Buffer,
  at: number,
): { readonly start: number; readonly end: number } | undefined {
  const kind = bytes[at];
  if (kind === undefined || kind < LIST) return undefined;
  if (kind <= LONG_LIST) return { start: at + 1, end: at + 1 + kind - LIST };
  const digits = kind - LONG_LIST;
  if (digits > 4 || at + 1 + digits > bytes.length) return undefined;
  const start = at + 1 + digits;
  return { start, end: start + bytes.readUIntBE(at + 1, digits) };
}

const EVM_METHODS: RpcMethods = {
  locked:
    /^(admin_|personal_|miner_|clique_|engine_|les_|wallet_|debug_(set|write|start|stop|chaindb|free|verbosity|vmodule|backtrace|goTrace|mutex|block(Profile)|cpuProfile|memStats|gcStats|stacks)|eth_sign|eth_sendTransaction$|eth_submit)/,
  send: /^eth_sendRawTransaction$/,
  once: /^(eth_send|anvil_|hardhat_|evm_|tenderly_|eth_resend|mev_|flashbots_)/,
  filter: /^eth_(new\w*Filter|getFilter(Changes|Logs)|uninstallFilter)$/,
  read: /^(eth_(subscribe|unsubscribe|get|call|estimate|fee|gasPrice|max|chainId|block|syncing|blob|base|createAccessList|protocolVersion|accounts|coinbase|mining|hashrate|simulate|config|capabilities|pendingTransactions)|net_(version|listening|peerCount)|web3_(clientVersion|sha3)|rpc_modules|trace_|txpool_|debug_(trace|getRaw|getBad|getModified|storageRangeAt|accountRange|dumpBlock|executionWitness)|erigon_(get|block)|ots_|bor_(get|root)|zks_|arbtrace_|linea_|parity_(get|list|next))\w*$/,
};

const UPPER_HEX = /"0x[0-9a-f]*[A-F]/;

export const evmRpc: FamilyRpc = {
  methods: EVM_METHODS,
  // Hexadecimal text is the same in either case.
  normalizeParams: (params) =>
    UPPER_HEX.test(params) ? params.replace(/"0x[0-9a-fA-F]*"/g, (text) => text.toLowerCase()) : params,
  createCacheRules: createEthereumCacheRules,
  blockReaders: ethereumBlockReaders,
  judgeError,
  findKnownTransaction,
  transactions: evmTransactions,
  readHealth: readEthereumHealth,
  probe: ETHEREUM_PROBE,
  filters: {
    ...ETHEREUM_FILTERS,
    unknownAnswer: (method) => (method === ETHEREUM_FILTERS.ends ? '"result":false' : UNKNOWN_FILTER),
  },
  subscriptions: ethereumSubscriptions,
};
