import { fetch, type BodyInit } from 'undici';
import type { CustomFetch } from 'openid-client';
import type { Dial } from '@chainwatch/chain-core';
import { createGuardedAgent } from '@chainwatch/outbound';

const TIMEOUT_MS = 5_000;
/** Metadata, keys and tokens of known issuers have some kilobytes. */
const BODY_BYTES_MAX = 1_048_576;

/** Asks the issuer at checked addresses alone (OUTBOUND_ALLOW), follows no redirect, and reads no endless body. */
export function createIssuerFetch(dial: Dial): CustomFetch {
  const dispatcher = createGuardedAgent(dial, {
    connectTimeoutMs: TIMEOUT_MS,
    headersTimeoutMs: TIMEOUT_MS,
    bodyTimeoutMs: TIMEOUT_MS,
  });
  return async (url, { body, ...options }) => {
    const response = await fetch(url, { ...options, body: body as BodyInit | undefined, dispatcher });
    const chunks: Uint8Array[] = [];
    let length = 0;
    // Counted unpacked: a megabyte of gzip can be a gigabyte.
    for await (const chunk of response.body ?? []) {
      length += chunk.length;
      if (length > BODY_BYTES_MAX)
        throw new TypeError(`expected at most ${BODY_BYTES_MAX} bytes from the issuer, got more`);
      chunks.push(chunk);
    }
    return new Response(length === 0 ? null : Buffer.concat(chunks), {
      status: response.status,
      headers: [...response.headers],
    });
  };
}
