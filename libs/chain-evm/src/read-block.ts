import { BlockNotFoundError, IncompleteBlockError, settleUnknowns, unwrap } from '@chainwatch/chain-core';
import type { Block, BlockRef, ReadBlockOptions, RpcCall } from '@chainwatch/chain-core';
import { addStateSync } from './bor-state-sync.ts';
import { isInvalidParams, isMissingBlock, isUnsupported } from './classify-node-error.ts';
import { decodeBlock } from './decode-block.ts';
import { parseRawBlock, parseRawReceipts } from './parse-raw-block.ts';
import { canProveBytes, proveBytes } from './prove-bytes.ts';
import type { ProvedBlock } from './prove-bytes.ts';
import { proveDoubted } from './prove-senders.ts';
import type { RawBlock, RawReceipt } from './raw-block.ts';
import { readRawEncodings, verifyWithEncodings } from './read-raw-encodings.ts';
import { readTraces } from './read-traces.ts';
import type { TracedBlock } from './read-traces.ts';
import type { RpcReply } from './rpc-transport.ts';
import type { Session } from './session.ts';
import type { VerifiedBlock } from './verify-block.ts';

/**
 * A whole block by hash, proved and decoded. Receipts are read in parallel with the body, traces as soon as
 * it is known that there is a transaction.
 * @throws BlockNotFoundError, IncompleteBlockError, ChainClientError, UnknownContentError unless `takeUnknown`
 */
export async function readBlock(
  session: Session,
  {
    ref,
    signal,
    options = {},
  }: { readonly ref: BlockRef; readonly signal?: AbortSignal; readonly options?: ReadBlockOptions },
): Promise<Block> {
  try {
    let replies = canProveBytes(session, ref) ? await askAll(session, ref, signal) : undefined;
    if (replies?.body.bytes !== undefined && replies.receipts.reply.bytes !== undefined) {
      const proved = proveBytes(session, {
        ref,
        body: replies.body.bytes,
        receipts: replies.receipts.reply.bytes,
      });
      if (proved !== undefined) return await completeProved(session, { ref, proved, signal });
      // Nodes bound the size of a list's answers, so a call that failed in a list is sent again by itself.
      if (replies.body.bytes === replies.receipts.reply.bytes && !canRead(replies)) replies = undefined;
    }
    const body = readBody(session, { ref, signal, reply: replies?.body });
    const [block, receipts, traces, encodings] = await Promise.all([
      body,
      readReceipts(session, { ref, source: { body, asked: replies?.receipts }, signal }),
      // No transaction is known beforehand to run no code, because the gas of a bare payment differs between forks.
      body.then((raw) => (raw.transactions.length === 0 ? undefined : readTraces(session, ref, signal))),
      body.then((raw) => readRawEncodings(session, raw, signal)),
    ]);
    const whole = await addStateSync(session, { block, receipts, signal });
    const verified = await verifyWithEncodings(session, {
      ref,
      answers: { block, receipts: whole, encodings },
      signal,
    });
    const decoded = decodeBlock(session.network, verified, traces?.(toTraced(verified)));
    await proveDoubted(session, { ref, block: decoded, signal });
    return settleUnknowns(decoded, verified.unknown?.parts ?? [], options);
  } catch (error) {
    if (isMissingBlock(error))
      throw new BlockNotFoundError(`block ${ref.number} ${ref.hash} is not known to the node`, {
        cause: error,
      });
    if (error instanceof SyntaxError || error instanceof TypeError) {
      // BigInt and field access on values of a wrong type: the answer was not what it claimed to be.
      throw new IncompleteBlockError(`block ${ref.number} ${ref.hash} could not be read: ${error.message}`, {
        cause: error,
      });
    }
    throw error;
  }
}

/** Adds the traces where the endpoint has them. A block that is proved from bytes has at least one transaction. */
async function completeProved(
  session: Session,
  {
    ref,
    proved,
    signal,
  }: { readonly ref: BlockRef; readonly proved: ProvedBlock; readonly signal?: AbortSignal },
): Promise<Block> {
  const traces = await readTraces(session, ref, signal);
  const block = traces === undefined ? proved : proved.withTraces(traces(proved));
  await proveDoubted(session, { ref, block, signal });
  return block;
}

function toTraced({ transactions, stateSync }: VerifiedBlock): TracedBlock {
  return { hashes: transactions.map(({ hash }) => hash), stateSync: stateSync?.transactionHash };
}

interface Replies {
  readonly body: RpcReply;
  readonly receipts: AskedReceipts;
}

function canRead({ body, receipts }: Replies): boolean {
  try {
    body.result();
    receipts.reply.result();
    return true;
  } catch {
    return false;
  }
}

/**
 * One request for all where other requests would have to wait, which costs less behind the head. At the head
 * two requests are answered sooner.
 */
async function askAll(session: Session, ref: BlockRef, signal?: AbortSignal): Promise<Replies> {
  const form = session.capabilities.receipts;
  const asking = session.transport.askTogether?.([bodyCall(ref), receiptsCall(session, ref)], signal);
  // Does not yield to the event loop where nothing is asked, so that the two requests below already count as
  // under way for the next block.
  const together = asking === undefined ? undefined : await asking;
  if (together?.[0] !== undefined && together[1] !== undefined)
    return { body: together[0], receipts: { reply: together[1], form } };
  const [body, receipts] = await Promise.all([
    askBody(session, ref, signal),
    askReceipts(session, ref, signal),
  ]);
  return { body, receipts };
}

function askBody(session: Session, ref: BlockRef, signal?: AbortSignal): Promise<RpcReply> {
  const { method, params } = bodyCall(ref);
  return session.transport.ask(method, params, signal);
}

function bodyCall(ref: BlockRef): RpcCall {
  return { method: 'eth_getBlockByHash', params: [ref.hash, true] };
}

async function readBody(
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
  return parseRawBlock(result);
}

/**
 * All receipts of a block: in one call, by hash where the node takes one; else one by one for the transactions of `body`.
 * `verifyBlock` proves that they are complete, with all their logs.
 */
async function readReceipts(
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
