import { serviceUnavailable } from '@chainwatch/problem';
import type { ProblemError } from '@chainwatch/problem';

// Connections refused, lost or cut (SQLSTATE classes 08 and 57P, too many of them 53), a pool that gave none in time, and
// the same through Prisma (https://www.prisma.io/docs/orm/reference/error-reference).
const unavailable = /^(ECONNREFUSED|ECONNRESET|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_AGAIN|08...|57P..|53...|P1001|P1002|P1008|P1017|P2024)$/;

/** A database that is away is 503, not 500: the client may come again. Undefined for what nobody foresaw. */
export function translateError(error: unknown): ProblemError | undefined {
  for (let current: unknown = error, depth = 0; current instanceof Error && depth < 5; current = current.cause, depth += 1) {
    const code = 'code' in current ? String(current.code) : '';
    if (unavailable.test(code) || isPoolFailure(current.message)) {
      return serviceUnavailable('The database is not available at the moment.', { cause: error, retryAfterSeconds: 1 });
    }
  }
  return undefined;
}

// node-postgres has no codes for these.
function isPoolFailure(message: string): boolean {
  return /timeout exceeded when trying to connect|Connection terminated|Can't reach database server|server closed the connection/i.test(message);
}
