// SPDX-License-Identifier: Apache-2.0
import type { ErrorRequestHandler, RequestHandler, Response } from 'express';
import {
  PROBLEM_CONTENT_TYPE,
  ProblemError,
  internalServerError,
  invalidRequest,
  notFound,
  toProblemDocument,
} from '@chainwatch/common/problem';
import type { ProblemContext } from '@chainwatch/common/problem';

export interface ProblemErrorsOptions {
  readonly uris: Pick<ProblemContext, 'docsUrl' | 'apiHost'>;
  /** Translates errors of domain and adapter libraries that have an HTTP status; undefined: it has none. */
  readonly translate?: (error: unknown) => ProblemError | undefined;
  /** Called for unexpected errors; the client only learns that something failed. */
  readonly onUnexpected: (
    error: unknown,
    context: { requestId: string; method: string; path: string },
  ) => void;
}

/** The last middleware: every error becomes application/problem+json (RFC 9457). */
export function problemErrors(options: ProblemErrorsOptions): ErrorRequestHandler {
  return (error, req, res, _next) => {
    const requestId = String(res.locals.requestId ?? '');
    const problem = asProblem(error) ?? options.translate?.(error);
    if (!problem) options.onUnexpected(error, { requestId, method: req.method, path: req.path });
    // An answer has begun. The connection is cut, so that the client does not take half a body for a whole one.
    if (res.headersSent) return void res.destroy();
    sendProblem(res, problem ?? internalServerError(error), {
      uris: options.uris,
      instance: req.originalUrl,
    });
  };
}

function sendProblem(
  res: Response,
  problem: ProblemError,
  context: { uris: ProblemErrorsOptions['uris']; instance: string },
): void {
  const path = context.instance.split('?', 1)[0]!;
  res.status(problem.status).set(problem.headers).type(PROBLEM_CONTENT_TYPE);
  res.send(JSON.stringify(toProblemDocument(problem, { ...context.uris, instance: path.slice(0, 512) })));
}

/** Mounted after the last route. */
export const routeNotFound: RequestHandler = (_req, _res, next) => next(notFound('There is no such path.'));

function asProblem(error: unknown): ProblemError | undefined {
  if (error instanceof ProblemError) return error;
  // From Express's router: a path parameter cannot be decoded.
  if (error instanceof URIError)
    return invalidRequest([{ name: 'path', reason: 'expected percent-encoded UTF-8' }]);
  return undefined;
}
