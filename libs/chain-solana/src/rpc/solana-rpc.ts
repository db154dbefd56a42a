// SPDX-License-Identifier: Apache-2.0
// cspell:ignore ubscribe
import {
  readNumber,
  FOREVER,
  keptForever,
  untilNextBlock,
  type FamilyRpc,
  type RpcMethods,
  type RpcTransactions,
  type AskNode,
  type Network,
  type NodeHealth,
  type BlockReader,
  type CacheRule,
  type Pace,
} from '@chainwatch/chain-core';
import { base58 } from '@scure/base';
import { solanaCatalogue } from '../networks.ts';
import { toBase58 } from '../base58-text.ts';

const SIGNATURE_BYTES = 64;
/** 4,096 bytes are the most of any version; decoding takes the square of the length. */
const TEXT_MAX = 8_192;
/** Of a message of version 1, whose signatures stand behind it (SIMD-0385). */
const VERSION_1 = 0x81;

/** The first signature of the transaction that `sendTransaction` sends, which is its id; undefined for anything else. */
function findSignature(method: string, params: string): string | undefined {
  if (method !== 'sendTransaction') return undefined;
  try {
    const [text, config] = JSON.parse(params) as [string, { encoding?: string } | undefined];
    if (text.length > TEXT_MAX) return undefined;
    return signatureOf(config?.encoding === 'base64' ? Buffer.from(text, 'base64') : base58.decode(text));
  } catch {
    // Not a transaction, or its parameters have names, which no node takes.
    return undefined;
  }
}

function signatureOf(bytes: Uint8Array): string | undefined {
  // Otherwise their number stands before them, in one byte: a packet has no room for 128.
  const at = bytes[0] === VERSION_1 ? bytes.length - bytes[1]! * SIGNATURE_BYTES : 1;
  return at > 0 && at + SIGNATURE_BYTES <= bytes.length ? toBase58(bytes, at, SIGNATURE_BYTES) : undefined;
}

const COMMITMENT = /"commitment"\s*:\s*"(processed|confirmed|finalized)"/;
const SLOT = /^\s*\[\s*(\d{1,12})\s*[,\]]/;

const commitmentOf = (params: string): string => COMMITMENT.exec(params)?.[1] ?? 'finalized';

/** The health of a node tells its confirmed slot. */
const slotAt = (commitment: string): string => (commitment === 'confirmed' ? 'head' : `${commitment} slot`);

const current = (kindOf: (params: string) => string, ...path: readonly string[]): BlockReader => ({
  tells: 'head',
  needsParams: true,
  kindOf,
  read: (body) => readNumber(body, ['result', ...path]),
});
const slot = (...path: readonly string[]): BlockReader =>
  current((params) => slotAt(commitmentOf(params)), ...path);
const height = (...path: readonly string[]): BlockReader =>
  current((params) => `${commitmentOf(params)} height`, ...path);
const block = (...path: readonly string[]): BlockReader => ({
  tells: 'block',
  read: (body) => readNumber(body, ['result', ...path]),
});

/** Methods that answer with the slot of the bank that they read. */
const WITH_CONTEXT = [
  'getAccountInfo',
  'getBalance',
  'getFeeForMessage',
  'getLargestAccounts',
  'getLatestBlockhash',
  'getMultipleAccounts',
  'getProgramAccounts',
  'getStakeMinimumDelegation',
  'getSupply',
  'getTokenAccountBalance',
  'getTokenAccountsByDelegate',
  'getTokenAccountsByOwner',
  'getTokenLargestAccounts',
  'getTokenSupply',
  'isBlockhashValid',
  'simulateTransaction',
];

const solanaBlockReaders: ReadonlyMap<string, BlockReader> = new Map<string, BlockReader>([
  ...WITH_CONTEXT.map((method) => [method, slot('context', 'slot')] as const),
  // Whatever its parameters say, it reads the processed bank.
  ['getSignatureStatuses', current(() => slotAt('processed'), 'context', 'slot')],
  ['getSlot', slot()],
  ['getBlockHeight', height()],
  ['getEpochInfo', slot('absoluteSlot')],
  [
    'getBlock',
    {
      ...block('parentSlot'),
      needsParams: true,
      askedOf: (params) => {
        const asked = SLOT.exec(params)?.[1];
        return asked === undefined ? undefined : Number(asked);
      },
    },
  ],
  ['getTransaction', block('slot')],
  ['getSignaturesForAddress', block('0', 'slot')],
  ['getRecentPerformanceSamples', block('0', 'slot')],
]);

const GENESIS_CHARACTERS = 32;

/** The reference of a chain's gid is the beginning of its genesis hash. */
async function readHealth(ask: AskNode, network: Network): Promise<NodeHealth> {
  const [genesis, confirmed, finalized] = await Promise.all([
    ask('getGenesisHash'),
    ask('getSlot', [{ commitment: 'confirmed' }]),
    ask<number>('getSlot', [{ commitment: 'finalized' }]),
  ]);
  return {
    isRightChain: typeof genesis === 'string' ? isGenesisOf(network, genesis) : undefined,
    head:
      typeof confirmed === 'number'
        ? { number: confirmed, hash: `${confirmed}`, final: finalized ?? undefined, timeMs: Date.now() }
        : undefined,
  };
}

/** A local cluster has a genesis of its own: any hash that belongs to no known cluster. */
function isGenesisOf({ gid, isLocal }: Network, genesis: string): boolean {
  const got = `solana:${genesis.slice(0, GENESIS_CHARACTERS)}`;
  return isLocal ? solanaCatalogue.networks.every((other) => other.gid !== got) : gid === got;
}

/** Escapes may spell the commitment in another way. */
const PROCESSED = /"processed"|\\/;
const BY_SIGNATURE = /^(getTransaction|getSignatureStatuses|getConfirmedTransaction|getSignatureStatus)$/;
/** Nodes keep no pending transactions that can be asked for: one is known as soon as a block has it. */
const LANDS_MS = 3_000;

const solanaTransactions: RpcTransactions = {
  viewOf: (method, params) => {
    if (BY_SIGNATURE.test(method)) return 'transaction';
    return method === 'simulateTransaction' || PROCESSED.test(params) ? 'pending' : undefined;
  },
  isUnknown: (reply) => /"result"\s*:\s*null\b|"value"\s*:\s*\[[^\]{}]*\bnull\b/.test(reply),
  broadcasts: /^sendTransaction$/,
  lookUp: {
    hashOf: findSignature,
    questionsOf: (signature) => [['getSignatureStatuses', [[signature]]]],
    isKnown: (answer) => Boolean((answer as { readonly value?: readonly unknown[] } | null)?.value?.[0]),
    settlesMs: LANDS_MS,
  },
};

const SOLANA_METHODS: RpcMethods = {
  // No method of the public interface controls a node. These are of the validator's admin socket, which is
  // not served over HTTP.
  locked: /^(exit|setIdentity|setLogFilter|addAuthorizedVoter|removeAllAuthorizedVoters)$/,
  // After a second send under a new leader one signature may land by two paths, so transactions are sent once.
  send: /^(?!)$/,
  once: /^(send[A-Z]\w*|requestAirdrop)$/,
  read: /^([a-z]+(Subscribe|Unsubscribe)|get[A-Z]\w*|isBlockhashValid|simulateTransaction|minimumLedgerSlot)$/,
};

/** Node unhealthy, minimum slot not reached, block not available, its status not available yet, cleaned up already. */
const UNABLE_CODES: ReadonlySet<unknown> = new Set([-32005, -32016, -32004, -32014, -32001]);

export const solanaRpc: FamilyRpc = {
  methods: SOLANA_METHODS,
  createCacheRules,
  blockReaders: solanaBlockReaders,
  judgeError: ({ code }) => (UNABLE_CODES.has(code) ? 'unable' : 'answer'),
  transactions: solanaTransactions,
  readHealth,
  probe: 'getVersion',
  subscriptions: {
    methods: /^[a-z]\w*(Uns|S)ubscribe$/,
    idType: 'number',
    // The words of agave.
    unknownError: [-32602, 'Invalid subscription id.'],
    // The node ends a signature's subscription when it has told the outcome
    // (https://solana.com/docs/rpc/websocket/signaturesubscribe).
    isLast: (method, result) => method === 'signatureSubscribe' && !result.includes('"receivedSignature"'),
  },
};

const UNSETTLED = /"(processed|confirmed)"/;

interface Config {
  readonly commitment?: unknown;
  readonly epoch?: unknown;
}

function readCommitment(config: unknown): unknown {
  const given = typeof config === 'object' && config !== null ? (config as Config).commitment : undefined;
  return given ?? 'finalized';
}

/**
 * A node whose history begins later, or which has not stored everything of a block yet, answers without what each
 * transaction did or without the block's time: "null if not available" (solana.com/docs/rpc/http/getblock).
 */
const UNAVAILABLE = /"(?:meta|blockTime|blockHeight)"\s*:\s*null\b/;

/** Finalized ones do not change; confirmed ones almost never do. */
const settled: CacheRule = {
  mayLast: (params) => !UNSETTLED.test(params),
  lifetimeOf: ({ params, result }) => {
    if (UNAVAILABLE.test(result.toString('latin1'))) return undefined;
    const commitment = readCommitment(params[1]);
    if (commitment === 'finalized') return FOREVER;
    return commitment === 'confirmed' ? { ms: 2_000, untilHead: false } : undefined;
  },
};

/** The time of a slot that is not final is an estimate of the votes until then, and its block may be dropped. */
const blockTime: CacheRule = {
  lifetimeOf: ({ params: [slot], finalNumber }) =>
    typeof slot === 'number' && slot <= finalNumber ? FOREVER : undefined,
};

/** Even at `finalized` the root moves with each slot. */
const currentBy = (pace: Pace, index: number): CacheRule => ({
  lifetimeOf: ({ params }) =>
    readCommitment(params[index]) === 'processed' ? undefined : untilNextBlock(pace),
  mayLast: () => false,
});

const inflationReward: CacheRule = {
  mayLast: (params) => !UNSETTLED.test(params),
  lifetimeOf: ({ params, result }) =>
    typeof (params[1] as Config | undefined)?.epoch === 'number' && !result.includes('null')
      ? FOREVER
      : undefined,
};

function createCacheRules(pace: Pace): ReadonlyMap<string, CacheRule> {
  return new Map([
    ['getBlock', settled],
    ['getTransaction', settled],
    ['getBlockTime', blockTime],
    ['getGenesisHash', keptForever],
    ['getInflationReward', inflationReward],
    ['getSlot', currentBy(pace, 0)],
    ['getBlockHeight', currentBy(pace, 0)],
    ['getAccountInfo', currentBy(pace, 1)],
    ['getMultipleAccounts', currentBy(pace, 1)],
    ['getProgramAccounts', currentBy(pace, 1)],
    ['getSignaturesForAddress', currentBy(pace, 1)],
  ]);
}
