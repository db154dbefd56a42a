// SPDX-License-Identifier: Apache-2.0
import type { PostgresAccount } from './postgres-account.ts';

/** How a server of this machine is run. */
export interface ProcessSpec {
  /** Shown in front of its log lines. */
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  /** On top of this process's own environment. */
  readonly env?: Readonly<Record<string, string>>;
  readonly account?: PostgresAccount;
  /** A part of its command line that no stranger's process has: a pid file is only believed together with it. */
  readonly identity: string;
  /** Default SIGTERM. */
  readonly stopSignal?: NodeJS.Signals;
}
