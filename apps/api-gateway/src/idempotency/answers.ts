// SPDX-License-Identifier: Apache-2.0
import { promisify } from 'node:util';
import { deflateRaw, inflateRaw } from 'node:zlib';
import type { RouteReply } from '@chainwatch/http';
import { ProblemError } from '@chainwatch/problem';
import type { OwnerSealer } from '@chainwatch/secrets';
import { toProblemData, type ProblemData } from '../server/problem-data.ts';

type Stored =
  | { readonly type: 'bytes'; readonly status: number }
  | {
      readonly type: 'reply';
      readonly status: number;
      readonly body?: unknown;
      readonly location?: string | undefined;
      readonly cookie?: RouteReply['cookie'];
    }
  | ProblemData;

const [deflate, inflate] = [promisify(deflateRaw), promisify(inflateRaw)];

/** An answer in its stored form: compressed, and readable by its owner only. */
export async function sealAnswer(sealer: OwnerSealer, answer: RouteReply | ProblemError): Promise<Buffer> {
  const body = answer instanceof ProblemError ? undefined : answer.body;
  // Bytes stand behind the line that says so: JSON has no line breaks.
  const stored = Buffer.isBuffer(body)
    ? Buffer.concat([Buffer.from(`${JSON.stringify({ type: 'bytes', status: answer.status })}\n`), body])
    : JSON.stringify(toStored(answer));
  return sealer.seal(await deflate(stored));
}

/** @throws ProblemError if the stored answer is one */
export async function openAnswer(sealer: OwnerSealer, sealed: Buffer): Promise<RouteReply> {
  const bytes = await inflate(sealer.open(sealed));
  const lineEnd = bytes.indexOf('\n');
  const head = lineEnd === -1 ? bytes : bytes.subarray(0, lineEnd);
  const stored = JSON.parse(head.toString('utf8')) as Stored;
  if (stored.type === 'bytes') return { status: stored.status, body: bytes.subarray(lineEnd + 1) };
  if (stored.type === 'problem') throw new ProblemError(stored.code, stored);
  return { status: stored.status, body: stored.body, location: stored.location, cookie: stored.cookie };
}

function toStored(answer: RouteReply | ProblemError): Stored {
  if (answer instanceof ProblemError) return toProblemData(answer);
  const { status, body, location, cookie } = answer;
  return { type: 'reply', status, body, location, cookie };
}
