// SPDX-License-Identifier: Apache-2.0
export interface BaseErrorOptions {
  readonly cause?: unknown;
  readonly publicMessage?: string;
}

/** Every error of ours: `message` is for operators. */
export abstract class BaseError extends Error {
  abstract readonly code: string;
  /** Workers decide by this: try again (here or elsewhere), or stop loudly. */
  abstract readonly retryable: boolean;
  /** May be shown to API clients: holds no endpoint, address or credential. */
  declare readonly publicMessage?: string;
  constructor(message: string, { cause, publicMessage }: BaseErrorOptions = {}) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = new.target.name;
    if (publicMessage !== undefined) this.publicMessage = publicMessage;
  }
}
