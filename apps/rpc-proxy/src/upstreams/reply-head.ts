// SPDX-License-Identifier: Apache-2.0
/** What is read of a server's reply besides its body. */
export interface ReplyHead {
  readonly status: number;
  readonly contentType: string;
  readonly contentEncoding: string | undefined;
  readonly retryAfter: string | undefined;
  /** -1 if the server did not say. */
  readonly contentLength: number;
}
