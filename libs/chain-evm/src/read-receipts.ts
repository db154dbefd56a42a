import { BlockNotFoundError, IncompleteBlockError, unwrap } from '@chainwatch/chain-core';
import type { BlockRef, RpcCall } from '@chainwatch/chain-core';
import { isInvalidParams, isUnsupported } from './classify-node-error.ts';
import { parseRawReceipts } from './parse-raw-block.ts';
import type { RawBlock, RawReceipt } from './raw-block.ts';
import type { RpcReply } from './rpc-transport.ts';
import type { Session } from './session.ts';

/**
 * All receipts of a block: in one call, by hash where the node takes one; else one by one for the transactions of `body`.
 * Whether they are all, with all their logs, is for `verifyBlock` to prove.
 *
 * @param asked the reply of `askReceipts`, where that was asked already
 */
export async function readReceipts(
  session: Session,
  ref: BlockRef,
  body: Promise<RawBlock>,
  signal?: AbortSignal,
  asked?: RpcReply,
): Promise<readonly RawReceipt[]> {
  const { capabilities } = session;
  if (asked !== undefined) {
    try {
      return readAtOnce(ref, asked);
    } catch (error) {
      // What it says of the form that was tried then may not hold for the one that is now.
      if (!isUnsupported(error) && !isInvalidParams(error)) throw error;
    }
  }
  while (capabilities.receipts !== 'single') {
    const tried = capabilities.receipts;
    try {
      return readAtOnce(ref, await askReceipts(session, ref, signal));
    } catch (error) {
      if (isUnsupported(error)) capabilities.receipts = 'single';
      else if (isInvalidParams(error)) capabilities.receipts = nextForm[tried];
      else throw error;
    }
  }
  return readOneByOne(session, await body, signal);
}

const nextForm = { by_hash: 'by_object', by_object: 'by_number', by_number: 'single' } as const;

/** All receipts of a block in one call, of the form that is tried now. */
export function askReceipts(session: Session, ref: BlockRef, signal?: AbortSignal): Promise<RpcReply> {
  const { method, params } = receiptsCall(session, ref);
  return session.transport.ask(method, params, signal);
}

/** The call of the form that is tried now. */
export function receiptsCall({ capabilities }: Pick<Session, 'capabilities'>, ref: BlockRef): RpcCall {
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
