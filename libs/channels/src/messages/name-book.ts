// SPDX-License-Identifier: Apache-2.0
import type { Network } from '@chainwatch/chain-core';

/** A network as messages name it. */
export type NamedNetwork = Pick<Network, 'displayName' | 'native' | 'tokens' | 'explorer'>;

/** What the service knows of a token. Its contract chose the symbol. */
export interface NamedToken {
  readonly symbol: string | null;
  /** What wallets multiply its amounts with, a decimal; undefined: nothing. */
  readonly multiplier?: string | undefined;
}

/** The names that messages use. A name that is missing never stops a message. */
export interface NameBook {
  /** Where people reach the gateway, without a slash at the end. Undefined: no links to the dashboard. */
  readonly publicUrl?: string | undefined;
  findNetwork(chainGid: string): NamedNetwork | undefined;
  findToken(assetGid: string): NamedToken | undefined;
}

/** For messages without any names. */
export const NO_NAMES: NameBook = { findNetwork: () => undefined, findToken: () => undefined };

/** The envelope of an event, as messages use it. */
export interface EventContext {
  readonly names: NameBook;
  readonly projectId: string;
  readonly isTest: boolean;
  readonly isHistorical: boolean;
}
