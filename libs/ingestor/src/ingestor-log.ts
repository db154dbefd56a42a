type Log = (fields: object, message: string) => void;

/** What the ingestor needs of a logger; pino's fits. */
export interface IngestorLog {
  readonly debug: Log;
  readonly info: Log;
  readonly warn: Log;
  readonly error: Log;
}
