// SPDX-License-Identifier: Apache-2.0
import {
  readNumber,
  type BlockReader,
  type RpcTransactions,
  type TransactionView,
  type RpcFilters,
  type RpcSubscriptions,
  type AskNode,
  type Network,
  type NodeHealth,
} from '@chainwatch/chain-core';

const BLOCK_NUMBER = /"blockNumber"\s*:\s*(?:"0x([0-9a-fA-F]{1,12})"|(\d{1,12})\b)/;
const TAG = /"(latest|safe|finalized|pending|earliest)"/;
const ASKED = /^\s*\[\s*"0x([0-9a-fA-F]{1,12})"/;
/** Of many the first is enough; of logs the last one is the highest. */
const BYTES_MAX = 4_096;

const toldFirst: BlockReader = {
  tells: 'block',
  read: (body) => match(body.subarray(0, BYTES_MAX)),
};

const toldLast: BlockReader = {
  tells: 'block',
  read: (body) => {
    const last = body.lastIndexOf('"blockNumber"');
    return last === -1 ? undefined : match(body.subarray(last, last + BYTES_MAX));
  },
};

/** A block by its number or tag. */
const byNumber: BlockReader = {
  tells: 'head',
  needsParams: true,
  kindOf: (params) => {
    const tag = TAG.exec(params)?.[1];
    return tag === 'latest' ? 'head' : tag === undefined || tag === 'earliest' ? 'block' : tag;
  },
  askedOf: (params) => toNumber(ASKED.exec(params)?.[1], 16),
  read: (body) => readNumber(body, ['result', 'number']),
};

const byHash: BlockReader = { tells: 'block', read: (body) => readNumber(body, ['result', 'number']) };

const feeHistory: BlockReader = {
  ...byNumber,
  askedOf: () => undefined,
  read: (body) => {
    const oldest = readNumber(body, ['result', 'oldestBlock']);
    const ratios = /"gasUsedRatio"\s*:\s*\[([^\]]*)\]/.exec(body.toString('latin1', 0, 16_384))?.[1];
    return oldest === undefined || !ratios ? undefined : oldest + ratios.split(',').length - 1;
  },
};

export const ethereumBlockReaders: ReadonlyMap<string, BlockReader> = new Map<string, BlockReader>([
  ['eth_blockNumber', { tells: 'head', read: (body) => readNumber(body, ['result']) }],
  ['eth_getBlockByNumber', byNumber],
  ['eth_getHeaderByNumber', byNumber],
  ['erigon_getHeaderByNumber', byNumber],
  ['eth_feeHistory', feeHistory],
  ['eth_getBlockByHash', byHash],
  ['eth_getHeaderByHash', byHash],
  ['erigon_getHeaderByHash', byHash],
  ['eth_getTransactionReceipt', toldFirst],
  ['eth_getTransactionByHash', toldFirst],
  ['eth_getTransactionByBlockHashAndIndex', toldFirst],
  ['eth_getTransactionByBlockNumberAndIndex', toldFirst],
  ['eth_getBlockReceipts', { ...toldFirst, needsParams: true, askedOf: byNumber.askedOf }],
  ['trace_transaction', toldFirst],
  ['trace_block', toldFirst],
  ['eth_getLogs', toldLast],
]);

function match(body: Buffer): number | undefined {
  const found = BLOCK_NUMBER.exec(body.toString('latin1', 0, body.length));
  return found === null ? undefined : (toNumber(found[1], 16) ?? toNumber(found[2], 10));
}

function toNumber(digits: string | undefined, radix: number): number | undefined {
  return digits === undefined ? undefined : Number.parseInt(digits, radix);
}

interface Block {
  readonly number?: unknown;
  readonly hash?: string;
  readonly timestamp?: unknown;
}

/** The cheapest question. */
export const ETHEREUM_PROBE = 'eth_chainId';

/** The reference of a chain's gid is its number, in decimal or hexadecimal. */
export async function readEthereumHealth(ask: AskNode, network: Network): Promise<NodeHealth> {
  const [chainId, latest, final] = await Promise.all([
    ask('eth_chainId'),
    ask<Block>('eth_getBlockByNumber', ['latest', false]),
    ask<Block>('eth_getBlockByNumber', ['finalized', false]),
  ]);
  const id = readQuantity(chainId);
  const number = readQuantity(latest?.number) ?? readQuantity(await ask('eth_blockNumber'));
  return {
    isRightChain: id === undefined ? undefined : id === Number(network.reference),
    head:
      number === undefined
        ? undefined
        : {
            number,
            hash: latest?.hash ?? `${number}`,
            final: readQuantity(final?.number) ?? number - network.confirmation.depth,
            timeMs: toMs(readQuantity(latest?.timestamp)),
          },
  };
}

function toMs(seconds: number | undefined): number | undefined {
  return seconds === undefined ? undefined : seconds * 1_000;
}

function readQuantity(value: unknown): number | undefined {
  return typeof value === 'string' && /^0x[0-9a-f]{1,13}$/i.test(value) ? Number(value) : undefined;
}

/** Escapes may spell the tag in another way. */
const PENDING_TAG = /"pending"|\\/;
/** The mempool, and simulations, whose outcome depends on what the sender has pending. */
const PENDING =
  /^(txpool_\w+|eth_(pendingTransactions|estimateGas|createAccessList|fillTransaction|simulateV1|callMany)|parity_(pending|all|future|nextNonce)\w*)$/;
const BY_HASH =
  /^(eth_get(Raw)?Transaction(ByHash|Receipt|BySenderAndNonce)|debug_(getRawTransaction|traceTransaction)|trace_(transaction|replayTransaction)|ots_\w*[tT]ransaction\w*|erigon_getBlockReceiptsByTx\w*)$/;

export const ethereumTransactions: Pick<RpcTransactions, 'viewOf' | 'isUnknown'> = {
  viewOf: (method, params): TransactionView | undefined => {
    if (PENDING.test(method) || PENDING_TAG.test(params)) return 'pending';
    return BY_HASH.test(method) ? 'transaction' : undefined;
  },
  isUnknown: (reply) => /"result"\s*:\s*null\b/.test(reply),
};

const NUMBER = /^"0x[0-9a-f]{1,13}"$/i;

export const ethereumSubscriptions: RpcSubscriptions = {
  methods: /^eth_(un)?subscribe$/,
  idType: 'quantity',
  // As geth says it.
  unknownError: [-32000, 'subscription not found'],
  // A header's, or a log's.
  readNotifiedHead: (findMember) => {
    const text = findMember('number') ?? findMember('blockNumber');
    return text !== undefined && NUMBER.test(text) ? Number(text.slice(1, -1)) : undefined;
  },
};

/** As geth and java-tron say it. */
export const UNKNOWN_FILTER = '"error":{"code":-32000,"message":"filter not found"}';

/** Filters are made by `eth_new…`. */
export const ETHEREUM_FILTERS = {
  makes: /^eth_new/,
  ends: 'eth_uninstallFilter',
} as const satisfies Omit<RpcFilters, 'unknownAnswer'>;
