import type { OwnData } from '@chainwatch/events';

/** Longer than any text of jsonb whose JSON has 4 KiB: it has a space behind each comma and colon. */
const METADATA_TEXT_MAX = 8_192;

/** Columns of a row `a` of addresses that `ownDataOf` reads. Metadata that no event carries is not read. */
export const OWN_DATA_COLUMNS = `a.label, a.groups,
  CASE WHEN octet_length(a.metadata::text) <= ${METADATA_TEXT_MAX} THEN a.metadata END AS metadata`;

export interface OwnDataRow {
  readonly label: string | null;
  readonly groups: readonly string[];
  readonly metadata: Readonly<Record<string, unknown>> | null;
}

export function ownDataOf({ label, groups, metadata }: OwnDataRow): OwnData {
  return { label, groups, metadata: metadata ?? undefined };
}
