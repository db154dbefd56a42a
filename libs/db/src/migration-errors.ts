/** An applied migration was edited afterwards: the database is not what the files say. */
export class MigrationChangedError extends Error {
  readonly code = 'migration_changed';
  readonly retryable = false;
  constructor(migration: string) {
    super(
      `migration ${migration} was changed after it had been applied: restore the file and add a new migration instead`,
    );
    this.name = 'MigrationChangedError';
  }
}

/** A migration did not run; the database is as it was before it. */
export class MigrationFailedError extends Error {
  readonly code = 'migration_failed';
  readonly retryable = false;
  constructor(migration: string, reason: string, cause?: unknown) {
    super(`migration ${migration} failed: ${reason}`, cause === undefined ? undefined : { cause });
    this.name = 'MigrationFailedError';
  }
}
