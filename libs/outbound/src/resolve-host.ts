// SPDX-License-Identifier: Apache-2.0
export interface ResolvedAddress {
  readonly address: string;
  readonly family: number;
}

/** All addresses of a name. */
export type ResolveHost = (hostname: string) => Promise<readonly ResolvedAddress[]>;
