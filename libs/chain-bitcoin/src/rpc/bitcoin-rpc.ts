// SPDX-License-Identifier: Apache-2.0
import {
  type FamilyRpc,
  type RpcMethods,
  type AskNode,
  type Network,
  type NodeHealth,
  findRawHex,
  type RpcTransactions,
  readNumber,
  type BlockReader,
  FOREVER,
  keptAtMost,
  keptFor,
  type CacheQuestion,
  type CacheRule,
  type Lifetime,
} from '@chainwatch/chain-core';
import { readTraits } from '../networks.ts';
import { LRUCache } from 'lru-cache';
import { parseBody } from '../decode-transaction.ts';
import { toHashText } from '../hash.ts';

const HEIGHTS_MAX = 10_000;
const TEN_SECONDS: Lifetime = { ms: 10_000, untilHead: true };
const aSecond = keptAtMost(1_000);

/** Heights of blocks by hash: raw answers do not hold them, so they are remembered from answers that do. */
type Heights = LRUCache<string, number>;

function createCacheRules(): ReadonlyMap<string, CacheRule> {
  const heights: Heights = new LRUCache({ max: HEIGHTS_MAX });
  const block: CacheRule = { lifetimeOf: (question) => ofBlock(heights, question) };
  return new Map<string, CacheRule>([
    ['getblockhash', { lifetimeOf: (question) => ofBlockHash(heights, question) }],
    ['getblock', block],
    ['getblockheader', block],
    ['getrawtransaction', { lifetimeOf: (question) => ofRawTransaction(heights, question) }],
    [
      'gettxoutproof',
      {
        lifetimeOf: (question) =>
          typeof question.params[1] === 'string' ? byHash(heights, question, question.params[1]) : undefined,
      },
    ],
    ['getblockfilter', { lifetimeOf: (question) => byHash(heights, question, question.params[0]) }],
    ['getblockcount', aSecond],
    ['getbestblockhash', aSecond],
    ['getblockchaininfo', aSecond],
    ['estimatesmartfee', keptFor({ ms: 10_000, untilHead: false })],
  ]);
}

function byHash(heights: Heights, { finalNumber }: CacheQuestion, hash: unknown): Lifetime {
  const height = typeof hash === 'string' ? heights.get(hash) : undefined;
  return height !== undefined && height <= finalNumber ? FOREVER : TEN_SECONDS;
}

function ofBlockHash(heights: Heights, { params, result, finalNumber }: CacheQuestion): Lifetime | undefined {
  const [height] = params;
  if (typeof height !== 'number') return undefined;
  heights.set(result.toString('latin1', 1, Math.max(1, result.length - 1)), height);
  return height <= finalNumber ? FOREVER : TEN_SECONDS;
}

/** Verbose answers hold `confirmations`, which grow with every block. */
function ofBlock(heights: Heights, question: CacheQuestion): Lifetime {
  const [hash, verbosity] = question.params;
  if (verbosity === 0 || verbosity === false) return byHash(heights, question, hash);
  const height = /"height"\s*:\s*(\d{1,9})\b/.exec(
    question.result.toString('latin1', 0, Math.min(question.result.length, 4_096)),
  )?.[1];
  if (typeof hash === 'string' && height !== undefined) heights.set(hash, Number(height));
  return TEN_SECONDS;
}

function ofRawTransaction(heights: Heights, question: CacheQuestion): Lifetime | undefined {
  const [, verbosity, inBlock] = question.params;
  const isVerbose = verbosity !== undefined && verbosity !== null && verbosity !== false && verbosity !== 0;
  if (isVerbose) return question.result.includes('"blockhash"') ? TEN_SECONDS : undefined;
  return typeof inBlock === 'string' ? byHash(heights, question, inBlock) : undefined;
}

const at = (tells: BlockReader['tells'], ...path: readonly string[]): BlockReader => ({
  tells,
  read: (body) => readNumber(body, ['result', ...path]),
});
const HEIGHT = /^\s*(?:\[\s*|\{\s*"height"\s*:\s*)(\d{1,9})\s*[,\]}]/;

/** `getbestblockhash` tells no height. */
const bitcoinBlockReaders: ReadonlyMap<string, BlockReader> = new Map<string, BlockReader>([
  ['getblockcount', at('head')],
  ['getblockchaininfo', at('head', 'blocks')],
  ['getmininginfo', at('head', 'blocks')],
  ['getblock', at('block', 'height')],
  ['getblockheader', at('block', 'height')],
  ['getblockstats', at('block', 'height')],
  ['getdeploymentinfo', at('block', 'height')],
  ['gettxoutsetinfo', at('block', 'height')],
  ['scantxoutset', at('block', 'height')],
  ['getchaintxstats', at('block', 'window_final_block_height')],
  ['waitfornewblock', at('block', 'height')],
  ['waitforblock', at('block', 'height')],
  ['waitforblockheight', at('block', 'height')],
  [
    'getblockhash',
    {
      tells: 'block',
      needsParams: true,
      read: () => undefined,
      askedOf: (params) => {
        const height = HEIGHT.exec(params)?.[1];
        return height === undefined ? undefined : Number(height);
      },
    },
  ],
]);

const SENDS = 'sendrawtransaction';
/** What the node holds in its mempool, or would do with it. */
const PENDING = /mempool|^(gettxout|gettxspendingprevout|getorphantxs|getblocktemplate|utxoupdatepsbt)$/;

const bitcoinTransactions: RpcTransactions = {
  viewOf: (method, params) => {
    if (method === 'getrawtransaction') return namesBlock(params) ? undefined : 'transaction';
    if (method === 'getmempoolentry') return 'transaction';
    return PENDING.test(method) ? 'pending' : undefined;
  },
  isUnknown: (reply) => /"code"\s*:\s*-5\b/.test(reply),
  broadcasts: /^(sendrawtransaction|submitpackage)$/,
  lookUp: {
    hashOf: (method, params) => {
      const raw = method === SENDS ? findRawHex(params) : undefined;
      return raw === undefined ? undefined : findTransactionId(Buffer.from(raw, 'hex'));
    },
    // The mempool; the index of transactions, where there is one; an output that nobody spent yet.
    questionsOf: (hash) => [
      ['getmempoolentry', [hash]],
      ['getrawtransaction', [hash]],
      ['gettxout', [hash, 0]],
    ],
  },
};

/** A second hash, or the parameter by its name. */
function namesBlock(params: string): boolean {
  return (params.match(/"[0-9a-fA-F]{64}"/g)?.length ?? 0) > 1 || params.includes('"blockhash"');
}

// cspell:ignore esbylabel
// https://developer.bitcoin.org/reference/rpc/: what holds keys or rules the node, then what passes. No name of
// theirs has capitals: signatureSubscribe is Solana's.
const BITCOIN_METHODS: RpcMethods = {
  locked:
    /^(?=[a-z0-9]+$)(stop|addnode|disconnectnode|setban|listbanned|clearbanned|setnetworkactive|invalidateblock|reconsiderblock|preciousblock|pruneblockchain|generate|logging|savemempool|importmempool|setmocktime|mockscheduler|prioritisetransaction|loadtxoutset|dumptxoutset|addconnection|addpeeraddress|sendmsgtopeer|syncwithvalidationinterfacequeue|echo|send(toaddress|many|all|from)?$|psbtbumpfee|bumpfee|(create|load|unload|upgrade|migrate|encrypt|backup|restore|list)wallet|wallet|dump|import|sign|getnew|getrawchange|getaddress(info|esbylabel)$|get(un)?confirmedbalance|getbalances?$|getwallet|getreceived|gettransaction$|listunspent|listtransactions|listsinceblock|listreceived|listlabels|listlockunspent|listaddressgroupings|listdescriptors|lockunspent|abandontransaction|removeprunedfunds|rescan|abortrescan|keypoolrefill|newkeypool|sethdseed|sethd|settxfee|setlabel|setwalletflag|addmultisigaddress|fundrawtransaction|simulaterawtransaction|enumeratesigners|createwalletdescriptor|gethdkeys)/,
  send: /^(sendrawtransaction|submitpackage)$/,
  once: /^submit(block|header)$/,
  read: /^(get[a-z0-9]+|decode[a-z]+|verify[a-z]+|validateaddress|estimate[a-z]+|testmempoolaccept|scan(txoutset|blocks)|uptime|help|create(rawtransaction|psbt|multisig)|combine[a-z]+|finalizepsbt|analyzepsbt|converttopsbt|utxoupdatepsbt|joinpsbts|deriveaddresses|descriptorprocesspsbt|waitfor[a-z]+|ping)$/,
};

// The words of all versions of Bitcoin Core.
const KNOWN = /already ?known|already exists|already[ -]in|txn-already/i;

/** Undefined also where the bytes are no transaction, so that the node's error is the answer. */
export function findKnownTransaction(method: string, error: string, raw: Buffer): string | undefined {
  return method === 'sendrawtransaction' && KNOWN.test(error) ? findTransactionId(raw) : undefined;
}

/** Warm-up, initial download, not connected to anybody or shutting down. */
const UNABLE_CODES: ReadonlySet<unknown> = new Set([-28, -10, -9]);

export const bitcoinRpc: FamilyRpc = {
  methods: BITCOIN_METHODS,
  servesVersion1: true,
  // The content type in the examples of Bitcoin Core's own documentation.
  contentTypes: ['text/plain'],
  createCacheRules,
  blockReaders: bitcoinBlockReaders,
  judgeError: ({ code }) => (UNABLE_CODES.has(code) ? 'unable' : 'answer'),
  isBusyPage: (status, body) => status === 503 && body.includes('Work queue depth exceeded'),
  findKnownTransaction,
  transactions: bitcoinTransactions,
  readHealth,
  probe: 'getblockcount',
};

/** A node is of the chain when it has the blocks by which the chain is told. */
async function readHealth(ask: AskNode, network: Network): Promise<NodeHealth> {
  const { identity } = readTraits(network);
  const [best, ...hashes] = await Promise.all([
    ask<string>('getbestblockhash'),
    ...identity.map(({ height }) => ask<string>('getblockhash', [height])),
  ]);
  const number = await ask('getblockcount');
  const isOther = hashes.some((hash, at) => typeof hash === 'string' && hash !== identity[at]!.hash);
  const isKnown = hashes.every((hash) => typeof hash === 'string');
  return {
    // A node that has not reached all of them does not tell yet.
    isRightChain: isOther ? false : isKnown || undefined,
    head:
      typeof number === 'number'
        ? {
            number,
            hash: best ?? `${number}`,
            final: number - network.confirmation.depth,
            timeMs: Date.now(),
          }
        : undefined,
  };
}

/** Whatever a network of the family may have beside the fields that the id covers. */
const ANY_FORMAT = { hasWitness: true, hasMweb: true, hasTokens: false } as const;

/** The id of a raw transaction, which covers neither witnesses (BIP-144) nor parts of extension blocks; undefined for other bytes. */
export function findTransactionId(raw: Buffer): string | undefined {
  try {
    return toHashText(parseBody(raw, ANY_FORMAT).txidBytes);
  } catch {
    return undefined;
  }
}
