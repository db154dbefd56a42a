import {
  BlockNotFoundError,
  ChainClientError,
  IncompleteBlockError,
  settleUnknowns,
} from '@chainwatch/chain-core';
import type { Block, BlockRef, ReadBlockOptions, RpcCall } from '@chainwatch/chain-core';
import { borTransactionHash, findStateSync, SPRINT_LENGTH } from './bor-state-sync.ts';
import { isMissingBlock } from './classify-node-error.ts';
import { decodeBlock } from './decode-block.ts';
import { isEncoded, typeOf } from './encode-transaction.ts';
import { parseRawBlock, parseRawReceipts } from './parse-raw-block.ts';
import type { RawBlock, RawReceipt } from './raw-block.ts';
import type { ProvedBlock } from './proved-block.ts';
import { canProveBytes, proveBytes } from './prove-bytes.ts';
import { askRawEncodings, readRawEncodings } from './read-raw-encodings.ts';
import { askReceipts, readReceipts, receiptsCall } from './read-receipts.ts';
import type { AskedReceipts } from './read-receipts.ts';
import { proveDoubted } from './prove-senders.ts';
import { readTraces } from './read-traces.ts';
import type { TracedBlock } from './read-traces.ts';
import type { RpcReply } from './rpc-transport.ts';
import type { Session } from './session.ts';
import { verifyBlock } from './verify-block.ts';
import type { BlockAnswers, VerifiedBlock } from './verify-block.ts';

/**
 * A whole block by hash, proved and decoded. Receipts are read in parallel with the body, traces as soon as
 * it is known that there is a transaction.
 * @throws BlockNotFoundError, IncompleteBlockError, ChainClientError, UnknownContentError unless `takeUnknown`
 */
export async function readBlock(
  session: Session,
  ref: BlockRef,
  signal?: AbortSignal,
  options: ReadBlockOptions = {},
): Promise<Block> {
  try {
    let replies = canProveBytes(session, ref) ? await askAll(session, ref, signal) : undefined;
    if (replies?.body.bytes !== undefined && replies.receipts.reply.bytes !== undefined) {
      const proved = proveBytes(session, ref, replies.body.bytes, replies.receipts.reply.bytes);
      if (proved !== undefined) return await completeProved(session, ref, proved, signal);
      // Nodes bound the size of a list's answers, so a call that failed in a list is sent again by itself.
      if (replies.body.bytes === replies.receipts.reply.bytes && !canRead(replies)) replies = undefined;
    }
    const body = readBody(session, ref, signal, replies?.body);
    const [block, receipts, traces, encodings] = await Promise.all([
      body,
      readReceipts(session, ref, { body, asked: replies?.receipts }, signal),
      // No transaction is known beforehand to run no code, because the gas of a bare payment differs between forks.
      body.then((raw) => (raw.transactions.length === 0 ? undefined : readTraces(session, ref, signal))),
      body.then((raw) => readRawEncodings(session, raw, signal)),
    ]);
    const whole = await addStateSync(session, block, receipts, signal);
    const verified = await verifyWithEncodings(session, ref, { block, receipts: whole, encodings }, signal);
    const decoded = decodeBlock(session.network, verified, traces?.(toTraced(verified)));
    await proveDoubted(session, ref, decoded, signal);
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
  ref: BlockRef,
  proved: ProvedBlock,
  signal?: AbortSignal,
): Promise<Block> {
  const traces = await readTraces(session, ref, signal);
  const block = traces === undefined ? proved : proved.withTraces(traces(proved));
  await proveDoubted(session, ref, block, signal);
  return block;
}

function toTraced({ transactions, stateSync }: VerifiedBlock): TracedBlock {
  return { hashes: transactions.map(({ hash }) => hash), stateSync: stateSync?.transactionHash };
}

/** Only its hash tells that a transaction of a known type has unknown content. Such transactions are then read raw. */
async function verifyWithEncodings(
  session: Session,
  ref: BlockRef,
  answers: Required<BlockAnswers>,
  signal?: AbortSignal,
): Promise<VerifiedBlock> {
  const { block, encodings } = answers;
  const verified = await verifyBlock(ref, answers, session.traits);
  const hashes = (verified.unknown?.missingEncodings ?? []).filter((hash) =>
    isEncoded(typeOf(findTransaction(block, hash))),
  );
  const more = hashes.length === 0 ? undefined : await askRawEncodings(session, hashes, signal);
  return more === undefined || more.size === 0
    ? verified
    : verifyBlock(ref, { ...answers, encodings: new Map([...encodings, ...more]) }, session.traits);
}

function findTransaction(block: RawBlock, hash: string): { readonly type?: string | null } {
  return block.transactions.find((tx) => tx.hash === hash) ?? {};
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
  ref: BlockRef,
  signal?: AbortSignal,
  reply?: RpcReply,
): Promise<RawBlock> {
  const result = (reply ?? (await askBody(session, ref, signal))).result();
  if (result === null)
    throw new BlockNotFoundError(`block ${ref.number} ${ref.hash} is not known to the node`);
  return parseRawBlock(result);
}

/** Not every node lists the state-sync receipt among the block's; it is then asked for by its derived hash. */
async function addStateSync(
  session: Session,
  block: RawBlock,
  receipts: readonly RawReceipt[],
  signal?: AbortSignal,
): Promise<readonly RawReceipt[]> {
  if (session.traits.stack !== 'bor' || Number(block.number) % SPRINT_LENGTH !== 0) return receipts;
  if (findStateSync(receipts, block) !== undefined) return receipts;
  const result = await session.transport.call(
    'eth_getTransactionReceipt',
    [borTransactionHash(block)],
    signal,
  );
  if (result === null) return receipts;
  const [receipt] = parseRawReceipts([result]);
  if (receipt?.blockHash !== block.hash)
    throw new ChainClientError(`state-sync receipt: expected block ${block.hash}, got another`);
  return [...receipts, receipt];
}
