// SPDX-License-Identifier: Apache-2.0
import { BlockNotFoundError, IncompleteBlockError, unwrap } from '@chainwatch/chain-core';
import type { BlockRef, RpcCall } from '@chainwatch/chain-core';
import { isInvalidParams, isUnsupported } from './classify-node-error.ts';
import { parseRawBlock, parseRawReceipts } from './parse-raw-block.ts';
import type { RawBlock, RawReceipt } from './raw-block.ts';
import type { RpcReply } from './rpc-transport.ts';
import type { Session } from './session.ts';

/** What a node answered when it was asked for a block and its receipts; nothing of it is parsed yet. */
interface Replies {
  readonly body: RpcReply;
  readonly receipts: AskedReceipts;
}

/**
 * One request for all where other requests would have to wait, which costs less behind the head. At the head
 * two requests are answered sooner. Nodes bound the size of a list's answers, so calls that failed in a list are sent
 * again, each by itself.
 */
export async function askAll(session: Session, ref: BlockRef, signal?: AbortSignal): Promise<Replies> {
  const form = session.capabilities.receipts;
  const asking = session.transport.askTogether?.([bodyCall(ref), receiptsCall(session, ref)], signal);
  // Does not yield to the event loop where nothing is asked, so that the two requests below already count as
  // under way for the next block.
  const [body, receipts] = (asking === undefined ? undefined : await asking) ?? [];
  if (body !== undefined && receipts !== undefined && !isError(body) && !isError(receipts))
    return { body, receipts: { reply: receipts, form } };
  return Promise.all([askBody(session, ref, signal), askReceipts(session, ref, signal)]).then(
    ([reply, asked]) => ({ body: reply, receipts: asked }),
  );
}

function isError(reply: RpcReply): boolean {
  try {
    reply.result();
    return false;
  } catch {
    return true;
  }
}

function askBody(session: Session, ref: BlockRef, signal?: AbortSignal): Promise<RpcReply> {
  const { method, params } = bodyCall(ref);
  return session.transport.ask(method, params, signal);
}

function bodyCall(ref: BlockRef): RpcCall {
  return { method: 'eth_getBlockByHash', params: [ref.hash, true] };
}

export async function readBody(
  session: Session,
  {
    ref,
    signal,
    reply,
  }: { readonly ref: BlockRef; readonly signal?: AbortSignal; readonly reply?: RpcReply },
): Promise<RawBlock> {
  const result = (reply ?? (await askBody(session, ref, signal))).result();
  if (result === null)
    throw new BlockNotFoundError(`block ${ref.number} ${ref.hash} is not known to the node`);
  return parseRawBlock(result, session.traits.stack);
}

/**
 * All receipts of a block: in one call, by hash where the node takes one; else one by one for the transactions of `body`.
 * `verifyBlock` proves that they are complete, with all their logs.
 */
export async function readReceipts(
  session: Session,
  {
    ref,
    source: { body, asked },
    signal,
  }: { readonly ref: BlockRef; readonly source: ReceiptsSource; readonly signal?: AbortSignal },
): Promise<readonly RawReceipt[]> {
  const { capabilities } = session;
  for (let given = asked; ; given = undefined) {
    const form = given?.form ?? capabilities.receipts;
    if (form === 'single') return readOneByOne(session, await body, signal);
    try {
      const { reply } = given ?? (await askReceipts(session, ref, signal));
      return readAtOnce(ref, reply);
    } catch (error) {
      if (!isUnsupported(error) && !isInvalidParams(error)) throw error;
      // Unless another reader has changed the form meanwhile.
      if (capabilities.receipts === form)
        capabilities.receipts = isUnsupported(error) ? 'single' : NEXT_FORM[form];
    }
  }
}

interface ReceiptsSource {
  readonly body: Promise<RawBlock>;
  /** The request that was sent already, if any. */
  readonly asked?: AskedReceipts | undefined;
}

interface AskedReceipts {
  readonly reply: RpcReply;
  /** The form in which they were asked for. */
  readonly form: ReceiptsForm;
}

type ReceiptsForm = Session['capabilities']['receipts'];

const NEXT_FORM = { by_hash: 'by_object', by_object: 'by_number', by_number: 'single' } as const;

/** All receipts of a block in one call, of the form that is tried now. */
async function askReceipts(session: Session, ref: BlockRef, signal?: AbortSignal): Promise<AskedReceipts> {
  const form = session.capabilities.receipts;
  const { method, params } = receiptsCall(session, ref);
  return { reply: await session.transport.ask(method, params, signal), form };
}

/** The call of the form that is tried now. */
function receiptsCall({ capabilities }: Pick<Session, 'capabilities'>, ref: BlockRef): RpcCall {
  const forms = {
    by_hash: ref.hash,
    by_object: { blockHash: ref.hash },
    by_number: `0x${ref.number.toString(16)}`,
    single: ref.hash,
  };
  return { method: 'eth_getBlockReceipts', params: [forms[capabilities.receipts]] };
}

function readAtOnce(ref: BlockRef, reply: RpcReply): readonly RawReceipt[] {
  const result = reply.result();
  if (result === null)
    throw new BlockNotFoundError(`receipts of block ${ref.number} ${ref.hash} are not known to the node`);
  return parseRawReceipts(result);
}

async function readOneByOne(
  session: Session,
  block: RawBlock,
  signal?: AbortSignal,
): Promise<readonly RawReceipt[]> {
  const calls = block.transactions.map(({ hash }) => ({
    method: 'eth_getTransactionReceipt',
    params: [hash],
  }));
  const results = (await session.transport.callMany(calls, signal)).map(unwrap);
  const missing = results.findIndex((result) => result === null);
  if (missing >= 0) {
    throw new IncompleteBlockError(
      `receipts of block ${block.hash}: expected one of transaction ${block.transactions[missing]?.hash ?? ''}, got null`,
    );
  }
  return parseRawReceipts(results);
}
