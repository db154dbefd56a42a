// SPDX-License-Identifier: Apache-2.0
/** Parameters of a reconciliation, as they are written in the form. */
export interface LedgerWindow {
  readonly name: string;
  /** A day, or empty: from the earliest time of the ledger. */
  readonly from: string;
  readonly to: string;
  readonly scope: 'project' | 'ledger';
  readonly includesFees: boolean;
}

export const NO_WINDOW: LedgerWindow = { name: '', from: '', to: '', scope: 'project', includesFees: false };

/** As the API names them; empty ones are left out. */
export function toQuery({
  name,
  from,
  to,
  scope,
  includesFees,
}: LedgerWindow): Readonly<Record<string, string | undefined>> {
  return {
    name: name.trim() || undefined,
    from: from === '' ? undefined : `${from}T00:00:00Z`,
    to: to === '' ? undefined : `${to}T00:00:00Z`,
    scope,
    include_fees: includesFees ? 'true' : undefined,
  };
}
