// SPDX-License-Identifier: Apache-2.0
/** An address of a statement, as the database has it. */
export interface StatedAddress {
  readonly id: string;
  readonly projectId: string;
  /** Canonical, as in transfers. */
  readonly address: string;
  readonly display: string;
  readonly label: string | null;
  readonly chainFamily: string;
  readonly isMonitored: boolean;
}
