// SPDX-License-Identifier: Apache-2.0
import { createGunzip } from 'node:zlib';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { z } from 'zod';
import { conflict } from '@chainwatch/common/problem';
import { statementParams, toStatementRecord } from '../../records/statement.ts';
import { readOn } from '../../reads/read-on.ts';
import { defineRoute } from '../../define-route.ts';
import { findStatement } from '../../statements/find-statement.ts';
import { openFormat } from '../../statements/statement-formats.ts';

const documentSchema = z.string().meta({
  description:
    'The document in its format, as an attachment. `X-Statement-Key`, `X-Statement-SHA256` and `X-Statement-Signature` have the members of `signature`.',
  examples: ['{"type":"statement","version":1}\n'],
});

export const downloadStatement = defineRoute({
  method: 'GET',
  path: '/statements/:statement_id/download',
  permission: 'api:statement:read',
  reads: 'standby',
  summary: 'The document of a completed statement',
  params: statementParams,
  mediaType: 'application/x-ndjson',
  alternatives: { 'text/csv': documentSchema, 'text/html': documentSchema },
  responses: { 200: documentSchema },
  problems: [409],
  handle: async ({ params, principal }, deps) => {
    const record = toStatementRecord(await findStatement(deps, principal, params.statement_id));
    const { id, signature, size, format } = record;
    if (signature === null || size === null)
      throw conflict(`The statement ${id} is ${record.status}: only a completed one has a document.`);
    return deps.exports.download(principal, {
      headers: {
        'Content-Type': `${openFormat(format).mediaType}; charset=utf-8`,
        'Content-Length': String(size),
        'Content-Disposition': `attachment; filename="statement-${id}.${format}"`,
        'X-Statement-Key': signature.kid,
        'X-Statement-SHA256': signature.sha256,
        'X-Statement-Signature': signature.value,
      },
      pieces: unpack(readParts(readOn(deps), id)),
    });
  },
});

async function* unpack(parts: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void> {
  const bytes = createGunzip();
  const ended = pipeline(Readable.from(parts), bytes);
  // Told by the bytes as well.
  ended.catch(() => undefined);
  yield* bytes as AsyncIterable<Buffer>;
  await ended;
}

/** One at a time, at the client's pace. A statement that is deleted meanwhile ends too early, and its length says so. */
async function* readParts(read: ReturnType<typeof readOn>, id: string): AsyncGenerator<Buffer, void> {
  for (let index = 0; ; index += 1) {
    const { rows } = await read(({ db }) =>
      db.query<{ bytes: Buffer }>(
        'SELECT bytes FROM statement_parts WHERE statement_id = $1 AND index = $2',
        [id, index],
      ),
    );
    if (rows[0] === undefined) return;
    yield rows[0].bytes;
  }
}
