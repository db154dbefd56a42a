// SPDX-License-Identifier: Apache-2.0
import { request as requestHttp, type IncomingMessage } from 'node:http';
import { request as requestHttps } from 'node:https';
import { Readable } from 'node:stream';

/** Answers of these have no body, and `Response` refuses one. */
const WITHOUT_BODY: ReadonlySet<number | undefined> = new Set([204, 205, 304]);

/**
 * A `fetch` for `createClient` of Node, over `node:http`: it reads past every interim response (RFC 9110, section 15.2).
 * Node's own `fetch` (undici) closes the connection at a `100 Continue` that it did not ask for, as some proxies send it.
 * It follows no redirect: the API sends none.
 */
export const fetchOverHttp: typeof globalThis.fetch = async (input, init) => {
  const { url, method, headers, signal, body } = new Request(input, init);
  const sent = body === null ? undefined : new Uint8Array(await new Response(body).arrayBuffer());
  return new Promise((resolve, reject) => {
    const send = url.startsWith('https:') ? requestHttps : requestHttp;
    const outgoing = send(url, { method, headers: Object.fromEntries(headers), signal }, (answer) =>
      resolve(toResponse(answer)),
    );
    outgoing.once('error', reject).end(sent);
  });
};

function toResponse(answer: IncomingMessage): Response {
  const headers = new Headers();
  for (let at = 0; at < answer.rawHeaders.length; at += 2)
    headers.append(answer.rawHeaders[at]!, answer.rawHeaders[at + 1]!);
  const { statusCode: status = 0, statusMessage: statusText = '' } = answer;
  if (!WITHOUT_BODY.has(status))
    return new Response(Readable.toWeb(answer) as ReadableStream, { status, statusText, headers });
  answer.resume();
  return new Response(null, { status, statusText, headers });
}
