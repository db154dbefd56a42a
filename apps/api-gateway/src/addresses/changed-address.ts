// SPDX-License-Identifier: Apache-2.0
/** What others are told of an address that was registered or changed. */
export interface ChangedAddress {
  readonly id: string;
  readonly projectId: string;
  readonly chainFamily: string;
  /** Canonical form. */
  readonly address: string;
  readonly isMonitored: boolean;
}
