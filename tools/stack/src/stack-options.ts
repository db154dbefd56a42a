// SPDX-License-Identifier: Apache-2.0
/** From start.mjs; survives JSON. */
export interface StackOptions {
  readonly hasDemo: boolean;
  readonly hasDevnet: boolean;
  readonly portOffset: number;
  readonly isDetached: boolean;
  readonly isVerbose: boolean;
  /** Undefined where NATS_URL or REDIS_URL names a running server. */
  readonly natsServer?: string;
  readonly redisServer?: string;
  readonly distDir: string;
  /** Milliseconds since 1970, when everything was installed. */
  readonly startedAt: number;
}
