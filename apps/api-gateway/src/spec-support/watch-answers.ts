// SPDX-License-Identifier: Apache-2.0
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { buildDocument } from '../openapi/build-document.ts';
import { operations } from '../route-table.ts';
import { createContract } from './contract.ts';
import type { Answer } from './contract.ts';

/** How an answer deviates from the app's OpenAPI document. */
export const findBreach = createContract(buildDocument(operations, { namespaceLabel: 'svc' }));

/** Passes requests on, and reports every answer that deviates from the OpenAPI document. */
export function watchAnswers(app: RequestListener, onBreach: (breach: string) => void): RequestListener {
  return (req, res) => {
    // Express rewrites the URL while it routes.
    const path = (req.url ?? '').split('?', 1)[0]!;
    const end = res.end.bind(res) as (...args: unknown[]) => ServerResponse;
    // Pages for people, and what is beside the API, are not in the document.
    if (/^\/(mail|ui|\.well-known)\//.test(path)) return app(req, res);
    res.end = ((chunk?: unknown, ...rest: unknown[]) => {
      const breach = findBreach(toAnswer(req, { res, path, chunk }));
      if (breach !== undefined) onBreach(breach);
      return end(chunk, ...rest);
    }) as typeof res.end;
    app(req, res);
  };
}

function toAnswer(
  req: IncomingMessage,
  { res, path, chunk }: { readonly res: ServerResponse; readonly path: string; readonly chunk: unknown },
): Answer {
  const body = typeof chunk === 'string' || Buffer.isBuffer(chunk) ? chunk.toString() : '';
  return {
    method: (req.method ?? '').toLowerCase(),
    path,
    status: res.statusCode,
    headers: res.getHeaders(),
    body,
  };
}
