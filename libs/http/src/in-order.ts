import type { NextFunction, Request, RequestHandler, Response } from 'express';

/**
 * Several handlers as one: each starts when the one before called `next`. What the router does for each of its layers,
 * path and parameters, costs more than most handlers do.
 */
export function inOrder(...handlers: readonly RequestHandler[]): RequestHandler {
  return (req, res, next) => runFrom(0, { handlers, req, res, next });
}

interface Run {
  readonly handlers: readonly RequestHandler[];
  readonly req: Request;
  readonly res: Response;
  readonly next: NextFunction;
}

function runFrom(index: number, run: Run): void {
  const handler = run.handlers[index];
  if (handler === undefined) return run.next();
  try {
    const running: unknown = handler(run.req, run.res, (error?: unknown) =>
      error === undefined ? runFrom(index + 1, run) : run.next(error),
    );
    if (running instanceof Promise) running.catch(run.next);
  } catch (error) {
    run.next(error);
  }
}
