// SPDX-License-Identifier: Apache-2.0
import type { Block, BlockRef, Network, BalanceChange } from '@chainwatch/chain-core';
import { addStateSync } from './bor-state-sync.ts';
import { decodeBlock } from './decode-block.ts';
import { askAll, readBody, readReceipts } from './read-answers.ts';
import { hasTracesOf, readTraces, type BlockTraces, type BlockReward } from './read-traces.ts';
import { readBlockTraces } from './read-traces-apart.ts';
import type { Session } from './session.ts';
import { type VerifiedBlock, verifyBlock, type BlockAnswers } from './verify-block.ts';
import { addressOf } from './decode-logs.ts';
import { readTraits } from './networks.ts';
import type { RawReceipt, RawBlock, RawTransaction } from './raw-block.ts';
import { isEncoded, typeOf } from './encode-transaction.ts';
import type { RawEncodings } from './verify-transactions.ts';

/** A verified block, and its traces where they were asked for. */
export interface ReadBlock {
  readonly verified: VerifiedBlock;
  /** Absent where they tell nothing of the block, or the endpoint does not trace. */
  readonly traces?: BlockTraces;
  /** False: nobody asked for the traces yet. */
  readonly hasTraces: boolean;
}

/**
 * Body and receipts of a block by hash, verified.
 * @param hasTraces ask for the traces too, in parallel with the receipts
 * @throws BlockNotFoundError, IncompleteBlockError, ChainClientError
 */
export async function readVerified(
  session: Session,
  {
    ref,
    signal,
    hasTraces,
    takeUntraced,
  }: {
    readonly ref: BlockRef;
    readonly signal?: AbortSignal;
    readonly hasTraces: boolean;
    readonly takeUntraced?: boolean | undefined;
  },
): Promise<ReadBlock> {
  const replies = session.capabilities.receipts === 'single' ? undefined : await askAll(session, ref, signal);
  const body = readBody(session, { ref, signal, reply: replies?.body });
  // No transaction is known beforehand to run no code, because the gas of a bare payment differs between forks.
  const asked = body.then((raw) =>
    hasTraces && hasTracesOf(session, raw) ? readTraces(session, ref, signal) : undefined,
  );
  // Awaited once the block is proved.
  asked.catch(() => undefined);
  const [block, receipts, encodings] = await Promise.all([
    body,
    readReceipts(session, { ref, source: { body, asked: replies?.receipts }, signal }),
    body.then((raw) => readRawEncodings(session, raw, signal)),
  ]);
  const whole = await addStateSync(session, { block, receipts, signal });
  const verified = await verifyWithEncodings(session, {
    ref,
    answers: { block, receipts: whole, encodings },
    signal,
  });
  const traces = await readBlockTraces(session, { ref, verified, asked, takeUntraced, signal });
  return { verified, traces, hasTraces };
}

/** A verified block with what its traces tell. */
export function decodeTraced(
  network: Network,
  verified: VerifiedBlock,
  traces: BlockTraces | undefined,
): Block {
  const { transactions: traced, rewards, unread = [] } = traces ?? {};
  const block = decodeBlock(network, verified, traced);
  const paid =
    rewards === undefined
      ? decodeAddedReceivers(network, verified.receipts)
      : decodeRewards(network, rewards);
  return {
    ...block,
    balanceChanges: [...block.balanceChanges, ...paid],
    // What it did is not all told: it is read again until a node traces it.
    ...(unread.length > 0 && {
      unknowns: [...(block.unknowns ?? []), ...unread],
      verification: 'unproved' as const,
    }),
    ...((traces === undefined ? verified.transactions.length > 0 : unread.length > 0) && {
      leavesOut: 'internal' as const,
    }),
  };
}

/** `AddedReceiver(uint256,address,address)`: amount, receiver, bridge. */
const ADDED_RECEIVER_TOPIC = '0x3c798bbcf33115b42c728b8504cff11dd58736e9fa789f1cda2738db7d696b2a';

function decodeRewards(network: Network, rewards: readonly BlockReward[]): BalanceChange[] {
  const assetGid = network.native?.gid;
  return assetGid === undefined
    ? []
    : rewards.map(({ address, amountRaw }) => ({ address, assetGid, amountRaw, reason: 'reward' }));
}

/**
 * Who gets native coins by an order to the contract of block rewards (Gnosis: the xDAI bridge's mints;
 * https://github.com/gnosischain/specs/blob/master/execution/posdao-post-merge.md). The chain pays at the end of the block;
 * where there are many orders, some in the next ones. For endpoints that do not tell rewards.
 */
function decodeAddedReceivers(network: Network, receipts: readonly RawReceipt[]): BalanceChange[] {
  const { rewardContract } = readTraits(network);
  if (rewardContract === undefined) return [];
  const orders = receipts
    .flatMap(({ logs }) => logs)
    .filter(
      ({ address, topics, data }) =>
        address === rewardContract && topics[0] === ADDED_RECEIVER_TOPIC && data.length === 66,
    );
  return decodeRewards(
    network,
    orders.map(({ topics, data }) => ({ address: addressOf(topics[1]), amountRaw: BigInt(data) })),
  );
}

interface Place {
  readonly hash: string;
  readonly blockHash: string;
  /** Position in the block. */
  readonly index: number;
}

/** Nodes have some of them, or none. */
const METHODS: readonly (readonly [method: string, paramsOf: (place: Place) => unknown[]])[] = [
  ['eth_getRawTransactionByHash', ({ hash }) => [hash]],
  ['debug_getRawTransaction', ({ hash }) => [hash]],
  [
    'eth_getRawTransactionByBlockHashAndIndex',
    ({ blockHash, index }) => [blockHash, `0x${index.toString(16)}`],
  ],
];

/**
 * The node's own encoding of transactions whose type is not known here (a later fork, Polygon's state sync), so that the
 * root can be proved all the same. Encodings that a node does not give are left out.
 */
function readRawEncodings(session: Session, block: RawBlock, signal?: AbortSignal): Promise<RawEncodings> {
  return askRawEncodings(
    session,
    listPlaces(block, (tx) => !isEncoded(typeOf(tx), session.traits.stack)),
    signal,
  );
}

function listPlaces(block: RawBlock, isWanted: (tx: RawTransaction) => boolean): Place[] {
  return block.transactions.flatMap((tx, index) =>
    isWanted(tx) ? [{ hash: tx.hash, blockHash: block.hash, index }] : [],
  );
}

/** The same of given transactions. */
async function askRawEncodings(
  session: Session,
  places: readonly Place[],
  signal?: AbortSignal,
): Promise<RawEncodings> {
  const encodings = new Map<string, Uint8Array>();
  for (const [method, paramsOf] of METHODS) {
    const missing = places.filter(({ hash }) => !encodings.has(hash));
    if (missing.length === 0) break;
    const answers = await session.transport.callMany(
      missing.map((place) => ({ method, params: paramsOf(place) })),
      signal,
    );
    answers.forEach((answer, index) => {
      const hash = missing[index]?.hash;
      if (answer.type !== 'result' || typeof answer.result !== 'string' || hash === undefined) return;
      if (/^0x(?:[0-9a-f]{2})+$/i.test(answer.result))
        encodings.set(hash, Buffer.from(answer.result.slice(2), 'hex'));
    });
  }
  return encodings;
}

/** Only its hash tells that a transaction of a known type has unknown content. Such transactions are then read raw. */
async function verifyWithEncodings(
  session: Session,
  {
    ref,
    answers,
    signal,
  }: { readonly ref: BlockRef; readonly answers: Required<BlockAnswers>; readonly signal?: AbortSignal },
): Promise<VerifiedBlock> {
  const { block, encodings } = answers;
  const verified = await verifyBlock(ref, answers, session.traits);
  const missing = new Set(verified.unknown?.missingEncodings ?? []);
  const places = listPlaces(
    block,
    (tx) => missing.has(tx.hash) && isEncoded(typeOf(tx), session.traits.stack),
  );
  const more = places.length === 0 ? undefined : await askRawEncodings(session, places, signal);
  return more === undefined || more.size === 0
    ? verified
    : verifyBlock(ref, { ...answers, encodings: new Map([...encodings, ...more]) }, session.traits);
}
