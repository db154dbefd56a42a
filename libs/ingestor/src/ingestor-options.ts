// SPDX-License-Identifier: Apache-2.0
import type { Logger, ServiceLogger } from '@chainwatch/platform/telemetry';
import type { Bus } from '@chainwatch/data/bus';
import type { Calendar, ChainFamily, ChainFamilyName, ChainOpenerOptions } from '@chainwatch/chain-core';
import type { Database } from '@chainwatch/data/db';

export interface IngestorOptions extends Omit<ChainOpenerOptions, 'findFamily'> {
  readonly familyName: ChainFamilyName;
  /** Undefined: this build has no code for the family, and its chains say so. */
  readonly family: ChainFamily | undefined;
  readonly db: Database;
  readonly bus: Pick<Bus<'block-ingestor'>, 'publish' | 'subscribe' | 'onStreamsRecreated'>;
  readonly log: Logger & Pick<ServiceLogger, 'child'>;
  /** An operator's calendar of upgrades: it may warn, and changes no block. */
  readonly upgrades?: Calendar;
  /** First block to follow by chain gid; default the head at the first activation. */
  readonly startBlocks?: Readonly<Record<string, number>>;
}
