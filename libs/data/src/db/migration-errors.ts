// SPDX-License-Identifier: Apache-2.0
import { BaseError } from '@chainwatch/common/problem';

/** An applied migration was edited afterwards: the database is not what the files say. */
export class MigrationChangedError extends BaseError {
  readonly code = 'migration_changed';
  readonly retryable = false;
  constructor(migration: string) {
    super(
      `migration ${migration} was changed after it had been applied: restore the file and add a new migration instead`,
    );
  }
}

/** A migration did not run; the database is as it was before it. */
export class MigrationFailedError extends BaseError {
  readonly code = 'migration_failed';
  readonly retryable = false;
  constructor(migration: string, reason: string, cause?: unknown) {
    super(`migration ${migration} failed: ${reason}`, { cause });
  }
}

/** The database has a part of what one migration stands for; nothing was changed. */
export class MigrationsMissingError extends BaseError {
  readonly code = 'migrations_missing';
  readonly retryable = false;
  constructor(migration: string, missing: readonly string[], release: string) {
    super(
      `migration ${migration} expected all or none of the older ones that it stands for, and ${missing.join(', ')} ${missing.length === 1 ? 'is' : 'are'} missing: upgrade this database through release ${release} first`,
    );
  }
}

/** The database was not brought to this release's schema in time. */
export class SchemaBehindError extends BaseError {
  readonly code = 'schema_behind';
  readonly retryable = true;
  constructor(fault: string, waitedMs: number) {
    super(`${fault} (waited for ${Math.round(waitedMs / 1_000)} s)`);
  }
}
