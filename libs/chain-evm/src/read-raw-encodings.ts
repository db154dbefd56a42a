// SPDX-License-Identifier: Apache-2.0
import type { BlockRef } from '@chainwatch/chain-core';
import { isEncoded, typeOf } from './encode-transaction.ts';
import type { RawBlock, RawTransaction } from './raw-block.ts';
import type { Session } from './session.ts';
import { verifyBlock } from './verify-block.ts';
import type { BlockAnswers, VerifiedBlock } from './verify-block.ts';
import type { RawEncodings } from './verify-transactions.ts';

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
export function readRawEncodings(
  session: Session,
  block: RawBlock,
  signal?: AbortSignal,
): Promise<RawEncodings> {
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
export async function verifyWithEncodings(
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
