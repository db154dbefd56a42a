// SPDX-License-Identifier: Apache-2.0
import type { ReplyChannel } from '../http/reply-channel.ts';
import { scanMembers } from '../json/scan-members.ts';
import { skipSpace } from '../json/skip-value.ts';
import { writeErrors } from './write-errors.ts';

export interface SocketChannelOptions {
  /** Ids of the calls as raw JSON; undefined for a call that wants no answer. */
  readonly ids: readonly (string | undefined)[];
  readonly isBatch: boolean;
  /** Takes bytes that are held until the answer is complete. False: there is no room for them. */
  readonly hold: (bytes: number) => boolean;
  /** Called once with the answer; undefined if no answer is wanted. */
  readonly finish: (message: Buffer | undefined, heldBytes: number) => void;
}

/** The limit of one message: it is held until it is complete, and no client waits for more. */
const ANSWER_BYTES_MAX = 16 * 1_048_576;
const TOO_LARGE = 'the answer is too large for a socket: ask for it over HTTP';

/** Turns the answer to one message into one message. A refusal in HTTP terms becomes a JSON-RPC error. */
export class SocketChannel implements ReplyChannel {
  isGone = false;
  isBegun = false;
  /** The sender of the message pays for it. */
  readonly onOut = queueMicrotask;
  readonly #options: SocketChannelOptions;
  #pieces: Buffer[] = [];
  #bytes = 0;
  #status = 0;

  constructor(options: SocketChannelOptions) {
    this.#options = options;
  }

  send(status: number, _headers: readonly string[], body: Buffer): void {
    if (this.isGone) return;
    this.isBegun = true;
    this.#finish(this.#toMessage(status, body));
  }

  begin(status: number): void {
    this.isBegun = true;
    this.#status = status;
  }

  write(piece: Buffer): undefined {
    if (this.isGone) return;
    if (this.#bytes + piece.length > ANSWER_BYTES_MAX || !this.#options.hold(piece.length))
      return void this.#finish(this.#errors(-32603, TOO_LARGE));
    this.#bytes += piece.length;
    this.#pieces.push(piece);
  }

  end(): void {
    if (!this.isGone) this.#finish(this.#toMessage(this.#status, Buffer.concat(this.#pieces, this.#bytes)));
  }

  destroy(): void {
    if (!this.isGone) this.#finish(this.#errors(-32603, 'the node broke off its answer'));
  }

  /** The client left. */
  tellGone(): void {
    if (!this.isGone) this.#finish(undefined);
  }

  #finish(message: Buffer | undefined): void {
    this.isGone = true;
    this.#pieces = [];
    this.#options.finish(message, this.#bytes);
  }

  #toMessage(status: number, body: Buffer): Buffer | undefined {
    const { ids } = this.#options;
    const isUnwanted = ids.length > 0 && ids.every((id) => id === undefined);
    if (body.length === 0 || isUnwanted) return undefined;
    if (status < 300 || isJsonRpc(body)) return body;
    return this.#errors(
      CODES[status] ?? -32603,
      readOwnError(body) ?? `the node answered with status ${status}`,
    );
  }

  #errors(code: number, message: string): Buffer | undefined {
    return writeErrors(this.#options, { code, message });
  }
}

/** JSON-RPC error codes by the status that the same refusal has over HTTP. */
const CODES: Readonly<Record<number, number>> = {
  400: -32600,
  403: -32601,
  413: -32600,
  429: -32005,
  503: -32005,
};

/** Some nodes send JSON-RPC errors with an HTTP error status. */
function isJsonRpc(body: Buffer): boolean {
  const start = skipSpace(body, 0);
  if (body[start] === 0x5b) return true;
  const members = scanMembers(body, start);
  const error = members?.get('error');
  return (
    members?.has('id') === true &&
    (members.has('result') || (error !== undefined && body[error.start] === 0x7b))
  );
}

/** The text of the gateway's own error: `{"error": "…"}`. */
function readOwnError(body: Buffer): string | undefined {
  try {
    const { error } = JSON.parse(body.toString('utf8', 0, 4_096)) as { error?: unknown };
    return typeof error === 'string' ? error : undefined;
  } catch {
    return undefined;
  }
}
