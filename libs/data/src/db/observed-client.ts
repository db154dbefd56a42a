// SPDX-License-Identifier: Apache-2.0
import { histogram, isTracing, startCall } from '@chainwatch/platform/telemetry';
import pg from 'pg';

const seconds = histogram('chainwatch_database_statement_seconds', {
  description: 'From when a statement was sent to its answer, by pool.',
});

export interface ClientOptions {
  /** The pool's name in metrics. */
  readonly pool: string;
  /** False: no statement is sent with its name (DatabaseOptions.isPrepared). */
  readonly isPrepared: boolean;
}

type Query = (...args: unknown[]) => unknown;

/** Clients whose statements are timed, and are spans of the trace that they serve. */
export function createClientClass({ pool, isPrepared }: ClientOptions): typeof pg.Client {
  const attributes = { pool };
  return class ObservedClient extends pg.Client {
    override query = ((statement: string | pg.QueryConfig, ...rest: unknown[]) => {
      const sentAtMs = performance.now();
      const endSpan = traceStatement(statement);
      const note = (error?: unknown): void => {
        seconds.record((performance.now() - sentAtMs) / 1_000, attributes);
        endSpan?.(
          error === null || error === undefined ? undefined : ((error as { code?: string }).code ?? 'error'),
        );
      };
      const sent =
        isPrepared || typeof statement === 'string' ? statement : { ...statement, name: undefined };
      // A pool's own query passes a callback.
      const callback = rest.at(-1);
      if (typeof callback === 'function')
        rest[rest.length - 1] = (...results: unknown[]): unknown => {
          note(results[0]);
          return (callback as Query)(...results);
        };
      const answer = (super.query as Query)(sent, ...rest);
      if (answer instanceof Promise) answer.then(() => note(), note);
      return answer;
    }) as pg.Client['query'];
  };
}

/** OpenTelemetry's conventions for databases. Neither values nor texts: a statement is known by its name. */
function traceStatement(statement: string | pg.QueryConfig): ReturnType<typeof startCall> {
  if (!isTracing()) return undefined;
  const { text = '', name }: Partial<pg.QueryConfig> =
    typeof statement === 'string' ? { text: statement } : statement;
  const operation = /\w+/.exec(text)?.[0].toUpperCase() ?? 'QUERY';
  return startCall(name ?? operation, {
    ...{ 'db.system.name': 'postgresql', 'db.operation.name': operation },
    'db.query.summary': name,
  });
}
