// SPDX-License-Identifier: Apache-2.0
import { notFound, serviceUnavailable, unauthorized } from '@chainwatch/common/problem';
import type { ProblemError } from '@chainwatch/common/problem';

// Connections refused, lost or cut (SQLSTATE classes 08 and 57P, too many of them 53), a statement over its time (57014), a session
// that was idle in its transaction for too long (25P03, 25P04), a pool that gave none in time, a
// transaction that had to give way (40), and the same through Prisma (https://www.prisma.io/docs/orm/reference/error-reference).
const UNAVAILABLE =
  /^(ECONNREFUSED|ECONNRESET|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_AGAIN|08...|40...|57014|25P0[34]|57P..|53...|P1001|P1002|P1008|P1017|P2024|P2028|P2034|P2037)$/;

/**
 * An unavailable database is 503, not 500: the client may try again. If the project was deleted during the request, its
 * key went with it: 401. Any other resource deleted meanwhile: 404. Undefined for unexpected errors.
 */
export function translateError(error: unknown): ProblemError | undefined {
  const failures = listCauses(error);
  if (
    failures.some(({ code, constraint }) => code === '23503' && /_project_id_fkey$/.test(String(constraint)))
  )
    return unauthorized('The API key is invalid.');
  if (
    failures.some(
      ({ code, constraint }) =>
        code === 'P2025' || (code === '23503' && /_channel_id_fkey$/.test(String(constraint))),
    )
  )
    return notFound('The resource was deleted meanwhile.');
  if (!failures.some(({ code, message }) => UNAVAILABLE.test(String(code)) || isPoolFailure(String(message))))
    return undefined;
  return serviceUnavailable('The database is not available at the moment.', {
    cause: error,
    retryAfterSeconds: 1,
  });
}

interface Failure {
  readonly code?: unknown;
  readonly constraint?: unknown;
  readonly message?: unknown;
  readonly cause?: unknown;
}

/** For Prisma's errors: PostgreSQL's own message is in `meta`, not in `cause`. */
interface PrismaFailure extends Failure {
  readonly meta?: {
    readonly driverAdapterError?: {
      readonly cause?: {
        readonly originalCode?: unknown;
        readonly originalMessage?: unknown;
        readonly constraint?: { readonly index?: unknown };
      };
    };
  };
}

function listCauses(error: unknown): Failure[] {
  const causes: Failure[] = [];
  for (
    let current = error;
    typeof current === 'object' && current !== null && causes.length < 10;
    current = (current as Failure).cause
  ) {
    const said = (current as PrismaFailure).meta?.driverAdapterError?.cause;
    causes.push(
      current,
      ...(said
        ? [{ code: said.originalCode, message: said.originalMessage, constraint: said.constraint?.index }]
        : []),
    );
  }
  return causes;
}

// node-postgres has no codes for these, and Prisma hides the code of a statement that timed out.
function isPoolFailure(message: string): boolean {
  return /timeout exceeded when trying to connect|Connection terminated|not queryable|Query read timeout|canceling statement due to statement timeout|Can't reach database server|server closed the connection/i.test(
    message,
  );
}
