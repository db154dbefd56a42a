import type { FinishedAttempt } from './finished-attempt.ts';

/**
 * The columns from which `unnest` makes rows of delivery_attempts: id, delivery, number, start, duration,
 * status, error, request, response headers, response body.
 */
export function attemptColumns(finished: readonly FinishedAttempt[]): unknown[][] {
  return [
    finished.map(({ attempt }) => attempt.id),
    finished.map(({ job }) => job.id),
    finished.map(({ job }) => job.attemptCount + 1),
    finished.map(({ attempt }) => attempt.startedAt),
    finished.map(({ attempt }) => attempt.durationMs),
    finished.map(({ attempt }) => attempt.statusCode ?? null),
    finished.map(({ attempt }) => attempt.errorCode ?? null),
    finished.map(({ attempt }) => JSON.stringify(attempt.request)),
    finished.map(({ attempt }) =>
      attempt.responseHeaders === undefined ? null : JSON.stringify(attempt.responseHeaders),
    ),
    finished.map(({ attempt }) => attempt.responseBody ?? null),
  ];
}
