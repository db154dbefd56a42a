// SPDX-License-Identifier: Apache-2.0
import type { FamilyRpc, RpcMethods, RpcError, RpcVerdict } from '@chainwatch/chain-core';
import {
  createEthereumCacheRules,
  ETHEREUM_PROBE,
  ethereumBlockReaders,
  ETHEREUM_FILTERS,
  ethereumSubscriptions,
  readEthereumHealth,
  UNKNOWN_FILTER,
} from '@chainwatch/ethereum/rpc';
import { evmTransactions } from './transactions.ts';
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
