import type { BlockRef } from '@chainwatch/chain-core';
import { isEncoded, typeOf } from './encode-transaction.ts';
import type { RawBlock } from './raw-block.ts';
import type { Session } from './session.ts';
import { verifyBlock } from './verify-block.ts';
import type { BlockAnswers, VerifiedBlock } from './verify-block.ts';
import type { RawEncodings } from './verify-transactions.ts';

/** Nodes have one of them, both or none. */
const METHODS = ['eth_getRawTransactionByHash', 'debug_getRawTransaction'];

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
    block.transactions.filter((tx) => !isEncoded(typeOf(tx), session.traits.stack)).map(({ hash }) => hash),
    signal,
  );
}

/** The same of given transactions. */
async function askRawEncodings(
  session: Session,
  hashes: readonly string[],
  signal?: AbortSignal,
): Promise<RawEncodings> {
  const encodings = new Map<string, Uint8Array>();
  for (const method of METHODS) {
    const missing = hashes.filter((hash) => !encodings.has(hash));
    if (missing.length === 0) break;
    const answers = await session.transport.callMany(
      missing.map((hash) => ({ method, params: [hash] })),
      signal,
    );
    answers.forEach((answer, index) => {
      const hash = missing[index];
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
  const hashes = (verified.unknown?.missingEncodings ?? []).filter((hash) =>
    isEncoded(typeOf(findTransaction(block, hash)), session.traits.stack),
  );
  const more = hashes.length === 0 ? undefined : await askRawEncodings(session, hashes, signal);
  return more === undefined || more.size === 0
    ? verified
    : verifyBlock(ref, { ...answers, encodings: new Map([...encodings, ...more]) }, session.traits);
}

function findTransaction(block: RawBlock, hash: string): { readonly type?: string | null } {
  return block.transactions.find((tx) => tx.hash === hash) ?? {};
}
