// SPDX-License-Identifier: Apache-2.0
import type { CustomFetch } from 'openid-client';
import type { Dial } from '@chainwatch/chain-core';
import { createHttpClient, type HttpResponse } from '@chainwatch/outbound';

const CONNECT_TIMEOUT_MS = 5_000;
const TIMEOUT_MS = 10_000;
/** Metadata, keys and tokens of known issuers have some kilobytes. */
const BODY_BYTES_MAX = 1_048_576;

/** Asks the issuer at checked addresses alone (OUTBOUND_ALLOW), follows no redirect, and reads no endless body. */
export function createIssuerFetch(dial: Dial): CustomFetch {
  const client = createHttpClient({ dial, connectTimeoutMs: CONNECT_TIMEOUT_MS });
  return async (url, { method, headers, body, signal = AbortSignal.timeout(TIMEOUT_MS) }) => {
    const request = new Request(url, { method, headers, body: body as RequestInit['body'] });
    try {
      const response = await client.request({
        url,
        method,
        headers: { ...Object.fromEntries(request.headers), 'accept-encoding': 'identity' },
        body: request.body === null ? undefined : new Uint8Array(await request.arrayBuffer()),
        signal,
      });
      return await readResponse(response);
    } catch (error) {
      if (signal?.aborted || error instanceof TypeError) throw error;
      // As fetch does.
      throw new TypeError('the issuer did not answer', { cause: error });
    }
  };
}

async function readResponse({ status, headers, body }: HttpResponse): Promise<Response> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > BODY_BYTES_MAX)
      throw new TypeError(`expected at most ${BODY_BYTES_MAX} bytes from the issuer, got more`);
    chunks.push(chunk);
  }
  const fields = Object.entries(headers).flatMap(([name, value]) =>
    (Array.isArray(value) ? value : [value ?? '']).map((one): [string, string] => [name, one]),
  );
  return new Response(length === 0 ? null : Buffer.concat(chunks), { status, headers: fields });
}
