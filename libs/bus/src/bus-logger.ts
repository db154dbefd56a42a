type Log = (fields: object, message: string) => void;

/** What the bus needs of a logger; pino's fits. */
export interface BusLogger {
  readonly info: Log;
  readonly warn: Log;
  readonly error: Log;
}

const ignore: Log = () => undefined;

export const silentLogger: BusLogger = { info: ignore, warn: ignore, error: ignore };

export function describeError(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
