import { createGunzip } from 'node:zlib';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { z } from 'zod';
import type { Sql } from '@chainwatch/db';
import { conflict } from '@chainwatch/problem';
import { statementParams, toStatementRecord } from '../../records/statement.ts';
import { defineRoute } from '../../server/define-route.ts';
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
  summary: 'The document of a completed statement',
  params: statementParams,
  mediaType: 'application/x-ndjson',
  alternatives: { 'text/csv': documentSchema, 'text/html': documentSchema },
  responses: { 200: documentSchema },
  problems: [409],
  handle: async ({ params, principal, signal }, deps) => {
    const record = toStatementRecord(await findStatement(deps, principal, params.statement_id));
    const { id, signature, size, format } = record;
    if (signature === null || size === null)
      throw conflict(`The statement ${id} is ${record.status}: only a completed one has a document.`);
    return {
      status: 200,
      headers: {
        'Content-Type': `${openFormat(format).mediaType}; charset=utf-8`,
        'Content-Length': String(size),
        'Content-Disposition': `attachment; filename="statement-${id}.${format}"`,
        'X-Statement-Key': signature.kid,
        'X-Statement-SHA256': signature.sha256,
        'X-Statement-Signature': signature.value,
      },
      stream: async (res) => {
        if (signal.aborted || res.destroyed || res.writableEnded) return;
        await pipeline(Readable.from(readParts(deps.db, id)), createGunzip(), res);
      },
    };
  },
});

/** One at a time, at the client's pace. A statement that is deleted meanwhile ends too early, and its length says so. */
async function* readParts(sql: Sql, id: string): AsyncGenerator<Buffer, void> {
  for (let index = 0; ; index += 1) {
    const { rows } = await sql.query<{ bytes: Buffer }>(
      'SELECT bytes FROM statement_parts WHERE statement_id = $1 AND index = $2',
      [id, index],
    );
    if (rows[0] === undefined) return;
    yield rows[0].bytes;
  }
}
