// SPDX-License-Identifier: Apache-2.0
import { ChainClientError, unwrap } from '@chainwatch/chain-core';
import type { MempoolSnapshot, RpcAnswer, Transaction } from '@chainwatch/chain-core';
import { z } from 'zod';
import { callRaw } from './call-raw.ts';
import { isInvalidParams, isMissingTransaction, isUnsupported } from './classify-node-error.ts';
import { parseTransaction } from './decode-transaction.ts';
import { readHead } from './read-headers.ts';
import { UnknownEncodingError } from './read-transaction.ts';
import type { Session } from './session.ts';
import { formatOf } from './transaction-format.ts';

const infoSchema = z.object({ loaded: z.boolean() });
const hashesSchema = z.array(z.string().regex(/^[0-9a-f]{64}$/));

/**
 * The head is read after the hashes, so a mined transaction that is missing among them is in a block at or
 * below the head.
 * @throws ChainClientError while the node still loads its mempool from disk, when a missing transaction need
 * not be gone
 */
export async function readSnapshot(session: Session, signal?: AbortSignal): Promise<MempoolSnapshot> {
  await expectLoaded(session, signal);
  const hashes = hashesSchema.safeParse(await session.rpc.call('getrawmempool', [], { signal }));
  if (!hashes.success)
    throw new ChainClientError('getrawmempool: expected a list of transaction hashes, got something else');
  const { number, hash } = await readHead(session, signal);
  return { head: { number, hash }, hashes: hashes.data };
}

/** Some nodes do not tell whether the mempool is loaded, or do not let us ask. */
async function expectLoaded({ rpc, capabilities }: Session, signal?: AbortSignal): Promise<void> {
  if (!capabilities.hasMempoolInfo) return;
  try {
    const info = infoSchema.safeParse(await rpc.call('getmempoolinfo', [], { signal }));
    if (info.data?.loaded === false)
      throw new ChainClientError(
        'getmempoolinfo: expected a whole mempool, got one that is still being loaded',
      );
  } catch (error) {
    if (!isUnsupported(error)) throw error;
    capabilities.hasMempoolInfo = false;
  }
}

/** In the order of `hashes`, each proved by its txid; undefined for those that are gone. */
export function readTransactions(
  session: Session,
  hashes: readonly string[],
  signal?: AbortSignal,
): Promise<(Transaction | undefined)[]> {
  const form = session.capabilities.rawForm;
  const calls = hashes.map((hash) => ({ method: 'getrawtransaction', params: [hash, form] }));
  return session.rpc
    .callMany(calls, signal)
    .then((answers) =>
      Promise.all(
        answers.map((answer, index) => readOne(session, { hash: hashes[index] as string, answer, signal })),
      ),
    );
}

async function readOne(
  session: Session,
  {
    hash,
    answer,
    signal,
  }: { readonly hash: string; readonly answer: RpcAnswer; readonly signal?: AbortSignal },
): Promise<Transaction | undefined> {
  try {
    const hex = await takeHex(session, { hash, answer, signal });
    return parseTransaction(hash, hex, formatOf(session.traits));
  } catch (error) {
    // A transaction that cannot be read yet is reported when it is in a block.
    if (isMissingTransaction(error) || error instanceof UnknownEncodingError) return undefined;
    throw error;
  }
}

/** A node that refuses takes only the other form of the parameter: it is asked again that way, which is remembered. */
async function takeHex(
  session: Session,
  {
    hash,
    answer,
    signal,
  }: { readonly hash: string; readonly answer: RpcAnswer; readonly signal?: AbortSignal },
): Promise<unknown> {
  if (answer.type === 'error' && isInvalidParams(answer.error))
    return callRaw(session, { method: 'getrawtransaction', hash, signal });
  return unwrap(answer);
}
