import { promisify } from 'node:util';
import { deflateRaw, inflateRaw } from 'node:zlib';
import type { RouteReply } from '@chainwatch/http';
import { ProblemError } from '@chainwatch/problem';
import type { ProblemCode, ProblemField } from '@chainwatch/problem';
import type { OwnerSealer } from '@chainwatch/secrets';

type Stored =
  | { readonly type: 'reply'; readonly status: number; readonly body?: unknown }
  | {
      readonly type: 'problem';
      readonly code: ProblemCode;
      readonly detail: string;
      readonly fields?: readonly ProblemField[];
      readonly headers: Readonly<Record<string, string>>;
    };

const [deflate, inflate] = [promisify(deflateRaw), promisify(inflateRaw)];

/** An answer in its stored form: compressed, and readable by its owner only. */
export async function sealAnswer(sealer: OwnerSealer, answer: RouteReply | ProblemError): Promise<Buffer> {
  return sealer.seal(await deflate(JSON.stringify(toStored(answer))));
}

/** @throws ProblemError if the stored answer is one */
export async function openAnswer(sealer: OwnerSealer, sealed: Buffer): Promise<RouteReply> {
  const stored = JSON.parse((await inflate(sealer.open(sealed))).toString('utf8')) as Stored;
  if (stored.type === 'problem') throw new ProblemError(stored.code, stored);
  return { status: stored.status, body: stored.body };
}

function toStored(answer: RouteReply | ProblemError): Stored {
  if (!(answer instanceof ProblemError)) return { type: 'reply', status: answer.status, body: answer.body };
  return {
    type: 'problem',
    code: answer.code,
    detail: answer.publicMessage,
    fields: answer.fields,
    headers: answer.headers,
  };
}
