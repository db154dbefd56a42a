// SPDX-License-Identifier: Apache-2.0
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { findPrismaDir, readMigrationNames } from './wait-for-schema.ts';

/**
 * During a rollout, and after a rollback, services of one release run on the schema of the next. So a migration may only
 * add; what nobody uses any more goes in a release after the one that stopped using it. Such a statement says so in the
 * line above it, with a release that CHANGELOG.md has:
 *
 *     -- contract: unused since 0.2.0
 *     ALTER TABLE blockchains DROP COLUMN evm_endpoint_sealed;
 */

/** Up to here migrations were made before the rule; an upgrade over them is described in CHANGELOG.md. */
const LAST_BEFORE_THE_RULE = '20261123030000_open_channel_kinds';

const CONTRACT = /^-- contract: unused since (\d+\.\d+\.\d+)$/m;
/** What takes something away from a service that was made before, or refuses what it writes. */
const DESTRUCTIVE = [
  /\bDROP\s+(TABLE|COLUMN|VIEW|MATERIALIZED\s+VIEW|TYPE|SEQUENCE|SCHEMA|FUNCTION|PROCEDURE|DEFAULT)\b/i,
  /\bDROP\s+(?!CONSTRAINT\b|INDEX\b|TRIGGER\b|NOT\s+NULL\b|EXPRESSION\b|IDENTITY\b)(IF\s+EXISTS\s+)?"?\w+"?\s*(,|$|CASCADE|RESTRICT)/i,
  /\bRENAME\b/i,
  /\bALTER\s+(COLUMN\s+)?"?\w+"?\s+(SET\s+DATA\s+)?TYPE\b/i,
  /\bSET\s+NOT\s+NULL\b/i,
  /\bADD\s+(COLUMN\s+)?(IF\s+NOT\s+EXISTS\s+)?"?\w+"?\s+(?!.*\b(DEFAULT|GENERATED)\b)[^,]*\bNOT\s+NULL\b/i,
  /\bTRUNCATE\b/i,
];

const releases = [
  ...readFileSync(join(findPrismaDir(), '../CHANGELOG.md'), 'utf8').matchAll(/^## \[?(\d+\.\d+\.\d+)/gm),
].map(([, release]) => release!);

/** Statements that break the rule, each without its comments. */
function findBreaks(sql: string, known: readonly string[] = releases): string[] {
  return splitStatements(sql).flatMap(({ comments, text }) => {
    if (!DESTRUCTIVE.some((pattern) => pattern.test(text))) return [];
    const since = CONTRACT.exec(comments)?.[1];
    return since !== undefined && known.includes(since) ? [] : [text];
  });
}

function splitStatements(sql: string): { comments: string; text: string }[] {
  const parts = sql.match(/--[^\n]*\n?|\$(\w*)\$[^]*?\$\1\$|'(?:[^']|'')*'|;|[^]/g) ?? [];
  const statements = [{ comments: '', text: '' }];
  for (const part of parts) {
    const last = statements.at(-1)!;
    if (part === ';') statements.push({ comments: '', text: '' });
    else if (part.startsWith('--')) last.comments += part;
    else last.text += part.startsWith("'") ? "''" : part;
  }
  return statements.map(({ comments, text }) => ({ comments, text: text.replace(/\s+/g, ' ').trim() }));
}

describe('expand and contract', () => {
  it('holds in every migration since the rule, and finds those before it', () => {
    const broken = readMigrationNames().flatMap((name) => {
      const dir = join(findPrismaDir(), 'migrations', name);
      const files = readdirSync(dir).filter((file) => file.endsWith('.sql'));
      const breaks = files.flatMap((file) => findBreaks(readFileSync(join(dir, file), 'utf8')));
      return breaks.length === 0 ? [] : [{ name, breaks }];
    });
    expect(broken.filter(({ name }) => name > LAST_BEFORE_THE_RULE)).toEqual([]);
    expect(broken.map(({ name }) => name)).toEqual([
      '20261122230100_chains_by_owner',
      '20261122230200_channels_by_owner',
      '20261122233000_equal_value_totals',
    ]);
  });

  it.each([
    'DROP TABLE notifier_replicas;',
    'ALTER TABLE a DROP COLUMN b;',
    'ALTER TABLE a DROP b;',
    'alter table a add column x text,\n drop column if exists b',
    'ALTER TABLE a RENAME COLUMN b TO c;',
    'ALTER TABLE a RENAME TO b;',
    'ALTER TABLE a ALTER COLUMN b TYPE bigint;',
    'ALTER TABLE a ALTER b SET DATA TYPE bigint;',
    'ALTER TABLE a ALTER COLUMN b SET NOT NULL;',
    'ALTER TABLE a ADD COLUMN b text NOT NULL;',
    'ALTER TABLE a ALTER COLUMN b DROP DEFAULT;',
    'DO $$ BEGIN ALTER TABLE a DROP COLUMN b; END $$;',
    "SELECT ';'; DROP TABLE a;",
    'TRUNCATE a;',
    '-- contract: unused since 9.9.9\nDROP TABLE a;',
    '-- unused since 0.2.0\nDROP TABLE a;',
    '-- contract: unused since 0.2.0\nSELECT 1;\nDROP TABLE a;',
  ])('refuses %j', (sql) => expect(findBreaks(sql, ['0.2.0'])).toHaveLength(1));

  it.each([
    'ALTER TABLE a ADD COLUMN b text;',
    "ALTER TABLE a ADD COLUMN b jsonb NOT NULL DEFAULT '{}';",
    'ALTER TABLE a DROP CONSTRAINT b;',
    'ALTER TABLE a ALTER COLUMN b DROP NOT NULL;',
    'DROP INDEX IF EXISTS a_idx, b_idx;',
    'DROP TRIGGER t ON a;',
    'CREATE TABLE a (b text NOT NULL, c text);',
    "-- A comment says DROP TABLE.\nINSERT INTO a VALUES ('DROP TABLE b');",
    '-- contract: unused since 0.2.0\nALTER TABLE a DROP COLUMN b;',
    '-- Nobody reads it.\n-- contract: unused since 0.2.0\nALTER TABLE a\n  DROP COLUMN b,\n  DROP COLUMN c;',
  ])('lets %j pass', (sql) => expect(findBreaks(sql, ['0.2.0'])).toEqual([]));
});
