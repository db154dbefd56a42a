// SPDX-License-Identifier: Apache-2.0
import { pipeline, Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import type { IncomingMessage } from 'node:http';
import type { RequestHandler } from 'express';
import { contentTooLarge, invalidRequest, ProblemError } from '@chainwatch/common/problem';
import type { StreamedBody } from './route.ts';

/** A sender that sends nothing for so long has gone. */
const SILENT_MS = 60_000;

/**
 * Gives a handler the body as it arrives: 415 for another media type or encoding. Over the limit, in bytes after
 * decompression, the stream fails with 413; a body that breaks off, or stops for a minute, with 400.
 */
export function streamBody({ mediaTypes, limitBytes }: StreamedBody): RequestHandler {
  return (req, _res, next) => {
    const [type = '', ...parameters] = (req.headers['content-type'] ?? '').toLowerCase().split(';');
    const charset = parameters.map((text) => text.trim()).find((text) => text.startsWith('charset='));
    if (!Object.keys(mediaTypes).includes(type.trim()) || !isUtf8(charset))
      return next(wrongType(Object.keys(mediaTypes), req.headers['content-type']));
    const encoding = (req.headers['content-encoding'] ?? 'identity').toLowerCase();
    if (encoding !== 'identity' && encoding !== 'gzip')
      return next(
        new ProblemError('unsupported_media_type', {
          detail: 'Expected the content encoding identity or gzip.',
        }),
      );
    if (encoding === 'identity' && Number(req.headers['content-length'] ?? 0) > limitBytes)
      return next(contentTooLarge(limitBytes));
    req.body = Readable.from(readBody(req, { isZipped: encoding === 'gzip', limitBytes }), {
      objectMode: false,
    });
    next();
  };
}

function wrongType(expected: readonly string[], got = 'none'): ProblemError {
  return new ProblemError('unsupported_media_type', {
    detail: `Expected content type ${expected.join(' or ')} in UTF-8, got ${got.slice(0, 100)}.`,
    headers: { Accept: expected.join(', ') },
  });
}

function isUtf8(charset: string | undefined): boolean {
  return charset === undefined || /^charset="?utf-?8"?$/.test(charset);
}

async function* readBody(
  req: IncomingMessage,
  { isZipped, limitBytes }: { readonly isZipped: boolean; readonly limitBytes: number },
): AsyncGenerator<Buffer, void> {
  let length = 0;
  try {
    // Not destroyed when it is left early: the answer goes over the same socket.
    const sent = withDeadline(req.iterator({ destroyOnReturn: false }) as AsyncIterableIterator<Buffer>);
    const bytes: AsyncIterable<Buffer> = isZipped ? unzip(sent) : sent;
    for await (const chunk of bytes) {
      length += chunk.length;
      if (length > limitBytes) throw contentTooLarge(limitBytes);
      yield chunk;
    }
  } catch (error) {
    throw error instanceof ProblemError
      ? error
      : invalidRequest([{ name: 'body', reason: 'could not be read' }]);
  }
}

function unzip(sent: AsyncIterable<Buffer>): Readable {
  const unzipped = createGunzip();
  // Its reader is told of a failure of either.
  pipeline(Readable.from(sent), unzipped, () => undefined);
  return unzipped;
}

async function* withDeadline(chunks: AsyncIterableIterator<Buffer>): AsyncGenerator<Buffer, void> {
  for (;;) {
    let timer: NodeJS.Timeout | undefined;
    const silence = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new Error('the sender sends nothing')), SILENT_MS);
    });
    const next = chunks.next();
    // Rejects behind the silence, when nobody waits for it.
    next.catch(() => undefined);
    try {
      const { value, done } = await Promise.race([next, silence]);
      if (done === true) return;
      yield value;
    } finally {
      clearTimeout(timer);
    }
  }
}
