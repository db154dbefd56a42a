import { scanCall } from '../json/scan-body.ts';
import { isNull, scanReply } from '../json/scan-reply.ts';
import { skipSpace } from '../json/skip-value.ts';
import { callUpstream } from '../upstreams/call-upstream.ts';
import type { Upstream } from '../upstreams/upstream.ts';
import type { Chain } from '../chains/chain.ts';
import type { WholeReply } from './outcome.ts';
import type { UpstreamQuery } from './upstream-query.ts';

const RAW_TRANSACTION = /^\s*\[\s*"(?:0x)?((?:[0-9a-fA-F]{2})+)"/;
/** For all questions to all nodes together. */
const TIMEOUT_MS = 5_000;

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
  const start = skipSpace(body, 0);
  const call = scanCall(body, start);
  const params = call.paramsStart === -1 ? '' : body.toString('latin1', call.paramsStart, call.paramsEnd);
  const told = findByWords(chain, { method, params, error });
  const known =
    told === undefined
      ? await findByQuestion(chain, method, params)
      : { hash: told, upstream: last?.upstream };
  if (known === undefined) return undefined;
  const id = call.idStart === -1 ? 'null' : body.toString('utf8', call.idStart, call.idEnd);
  const isVersion2 =
    call.versionStart !== -1 && body.toString('latin1', call.versionStart, call.versionEnd) === '"2.0"';
  const answer = isVersion2
    ? `{"jsonrpc":"2.0","id":${id},"result":"${known.hash}"}`
    : `{"result":"${known.hash}","error":null,"id":${id}}`;
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

/** Asks every node in service: the one that took the transaction may be another one than the one that refused it. */
async function findByQuestion(
  chain: Chain,
  method: string,
  params: string,
): Promise<{ readonly hash: string; readonly upstream: Upstream } | undefined> {
  const { again } = chain.rpc.transactions;
  const hash = again?.hashOf(method, params);
  if (again === undefined || hash === undefined) return undefined;
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  const nodes = chain.upstreams.filter(({ isWrongChain, isChecked }) => isChecked && !isWrongChain);
  const asked = nodes.map(async (upstream) => {
    for (const [question, given] of again.questionsOf(hash)) {
      const found = await callUpstream(upstream, { method: question, params: given, signal }).catch(
        () => undefined,
      );
      if (found !== undefined && found !== null) return { hash, upstream };
    }
    throw new Error('the node does not know the transaction');
  });
  return Promise.any(asked).catch(() => undefined);
}
