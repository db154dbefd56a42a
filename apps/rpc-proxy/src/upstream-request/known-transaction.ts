// SPDX-License-Identifier: Apache-2.0
import { setTimeout as delay } from 'node:timers/promises';
import type { RpcPaths } from '@chainwatch/chain-core';
import { scanCall } from '../json/scan-body.ts';
import { isNull, scanReply } from '../json/scan-reply.ts';
import { skipSpace } from '../json/skip-value.ts';
import { callPath, callUpstream, NodeRefusedError, NotServedError } from '../upstreams/call-upstream.ts';
import type { Upstream } from '../upstreams/upstream.ts';
import type { Chain } from '../chains/chain.ts';
import type { WholeReply } from './outcome.ts';
import type { UpstreamQuery } from './upstream-query.ts';

const RAW_TRANSACTION = /^\s*\[\s*"(?:0x)?((?:[0-9a-fA-F]{2})+)"/;
/** For all questions to all nodes together. */
const TIMEOUT_MS = 5_000;
const AGAIN_MS = 200;
/** For how long a node that does not answer is asked again. */
const UNANSWERED_MS = 2_000;

/**
 * The answer to a send that may have reached a node before: where a node knows the transaction, the call succeeded, and
 * the answer is the hash, whatever error came last. Nodes have many words for it: `already known`, `nonce too low` once
 * it is in a block, `replacement transaction underpriced`.
 * @param last the last error; undefined if no node answered
 * @returns the answer and a node that knows the transaction; undefined if none does, or the reply is no error
 */
export async function findKnownTransaction(
  { chain, method, body }: Pick<UpstreamQuery, 'chain' | 'method' | 'body'>,
  last: Told | undefined,
): Promise<Told | undefined> {
  const error = last && readError(last.reply.body);
  if (last !== undefined && error === undefined) return undefined;
  const sent = readSent({ chain, method, body });
  const told = findByWords(chain, { method, params: sent.params, error });
  const known =
    told === undefined ? await findByQuestion(chain, sent) : { hash: told, upstream: last?.upstream };
  if (known === undefined) return undefined;
  const answer = sent.answerOf(known.hash);
  const head = {
    status: 200,
    contentType: 'application/json',
    contentEncoding: undefined,
    retryAfter: undefined,
  };
  return {
    reply: { ...head, contentLength: answer.length, body: Buffer.from(answer) },
    upstream: known.upstream,
  };
}

/** What was sent, and how a node is asked for it. */
interface Sent {
  readonly params: string;
  readonly hash: string | undefined;
  readonly settlesMs: number;
  /** @throws Error when the node does not answer */
  knows(upstream: Upstream, signal: AbortSignal): Promise<boolean>;
  /** The answer of a node that took it. */
  answerOf(hash: string): string;
}

function readSent(query: Pick<UpstreamQuery, 'chain' | 'method' | 'body'>): Sent {
  const paths = query.chain.servedPaths;
  return paths === undefined ? readSentCall(query) : readSentPath(query, paths);
}

function readSentCall({ chain, method, body }: Pick<UpstreamQuery, 'chain' | 'method' | 'body'>): Sent {
  const call = scanCall(body, skipSpace(body, 0));
  const params = call.paramsStart === -1 ? '' : body.toString('latin1', call.paramsStart, call.paramsEnd);
  const { lookUp } = chain.rpc.transactions;
  const hash = lookUp?.hashOf(method, params);
  const questions = lookUp === undefined || hash === undefined ? [] : lookUp.questionsOf(hash);
  const isKnown = lookUp?.isKnown ?? ((answer: unknown) => answer !== undefined && answer !== null);
  const id = call.idStart === -1 ? 'null' : body.toString('utf8', call.idStart, call.idEnd);
  const isVersion2 =
    call.versionStart !== -1 && body.toString('latin1', call.versionStart, call.versionEnd) === '"2.0"';
  return {
    params,
    hash,
    settlesMs: lookUp?.settlesMs ?? 0,
    knows: (upstream, signal) =>
      saysSo(questions, async ([question, given]) =>
        isKnown(await callUpstream(upstream, { method: question, params: given, signal })),
      ),
    answerOf: (known) =>
      isVersion2
        ? `{"jsonrpc":"2.0","id":${id},"result":"${known}"}`
        : `{"result":"${known}","error":null,"id":${id}}`,
  };
}

function readSentPath({ method, body }: Pick<UpstreamQuery, 'method' | 'body'>, paths: RpcPaths): Sent {
  const { lookUp } = paths;
  const hash = lookUp?.hashOf(method, body.toString());
  const questions = lookUp === undefined || hash === undefined ? [] : lookUp.questionsOf(hash);
  return {
    params: '',
    hash,
    settlesMs: 0,
    knows: (upstream, signal) =>
      saysSo(questions, async (question) =>
        lookUp!.isKnown(await callPath<object>(upstream, { paths, question, signal }), hash!),
      ),
    answerOf: (known) => JSON.stringify(lookUp!.answerOf(known)),
  };
}

/**
 * Whether one of the questions is answered with yes; a node may refuse one.
 * @throws Error if the node did not answer one, and none with yes
 */
async function saysSo<T>(questions: readonly T[], ask: (question: T) => Promise<boolean>): Promise<boolean> {
  let failure: Error | undefined;
  for (const question of questions) {
    try {
      if (await ask(question)) return true;
    } catch (error) {
      if (!(error instanceof NodeRefusedError || error instanceof NotServedError)) failure = error as Error;
    }
  }
  if (failure !== undefined) throw failure;
  return false;
}

/** A reply, and the node that stands for it. */
interface Told {
  readonly reply: WholeReply;
  readonly upstream?: Upstream | undefined;
}

/** The raw error of a reply; undefined if it is none. */
function readError(body: Buffer): string | undefined {
  const scanned = scanReply(body, skipSpace(body, 0));
  return scanned === undefined ||
    scanned.errorStart === -1 ||
    isNull(body, scanned.errorStart, scanned.errorEnd)
    ? undefined
    : body.toString('utf8', scanned.errorStart, scanned.errorEnd);
}

/** What a node says plainly needs no question. */
function findByWords(
  { rpc }: Chain,
  {
    method,
    params,
    error,
  }: { readonly method: string; readonly params: string; readonly error: string | undefined },
): string | undefined {
  const raw = error === undefined ? null : RAW_TRANSACTION.exec(params);
  return raw === null ? undefined : rpc.findKnownTransaction?.(method, error!, Buffer.from(raw[1]!, 'hex'));
}

/**
 * Asks every node in service: the one that took the transaction may be another one than the one that refused it. They
 * are asked again for a while where one did not answer, or where nodes know only what a block has.
 */
async function findByQuestion(
  chain: Chain,
  { hash, settlesMs, knows }: Sent,
): Promise<{ readonly hash: string; readonly upstream: Upstream } | undefined> {
  if (hash === undefined) return undefined;
  const startedAt = chain.clock.now;
  for (;;) {
    // Each round has a signal of its own: listeners stay with it.
    const signal = AbortSignal.timeout(Math.max(1, Math.ceil(startedAt + TIMEOUT_MS - chain.clock.now)));
    const nodes = chain.upstreams.filter(({ isWrongChain, isChecked }) => isChecked && !isWrongChain);
    let isAnswered = true;
    const asked = nodes.map(async (upstream) => {
      const isKnown = await knows(upstream, signal).catch(() => (isAnswered = false));
      if (isKnown) return { hash, upstream };
      throw new Error('the node does not know the transaction');
    });
    const known = await Promise.any(asked).catch(() => undefined);
    const waitMs = isAnswered ? settlesMs : Math.max(settlesMs, UNANSWERED_MS);
    if (known !== undefined || chain.clock.now >= startedAt + waitMs) return known;
    await delay(AGAIN_MS);
  }
}
