import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { JOINED_BYTES_MAX, type ReplyChannel, type ReplyStart } from './reply-channel.ts';

/** The connection that answers go out over, in the order of their requests. */
export interface ChannelOwner {
  readonly socket: Socket;
  isTurnOf(channel: RawChannel): boolean;
  /** How long the connection is kept after its last answer. */
  readonly keepAliveMs: number;
  /** Whether the connection ends with this answer; if so, it reads no further request. */
  endsWith(channel: RawChannel): boolean;
  /** Adds text, one byte per character, to the next write. */
  put(text: string): void;
  /** Adds to the number of bytes that wait for earlier answers; negative when fewer wait. */
  hold(bytes: number): void;
  /** Writes the text that was put. */
  flush(): void;
  /** The answer is out: the next one may go. */
  finish(channel: RawChannel): void;
}

/** One answer over an accepted connection. Before its turn it is held back, and its producer is paused. */
export class RawChannel implements ReplyChannel {
  isGone = false;
  isBegun = false;
  watcher: { tellOut(): void } | undefined;
  readonly #owner: ChannelOwner;
  #leave: (() => void) | undefined;
  #resume: (() => void) | undefined;
  #isChunked = false;
  #isEnded = false;
  #isCut = false;
  #isWaiting = false;
  /** Pieces that are not confirmed written. */
  #unwritten = 0;
  #heldText = '';
  #heldBytes = 0;
  #heldPieces: Buffer[] | undefined;

  constructor(owner: ChannelOwner) {
    this.#owner = owner;
  }

  get unsentBytes(): number {
    return this.#owner.socket.writableLength;
  }

  send(status: number, headers: readonly string[], body: Buffer): void {
    if (this.isGone) return;
    this.isBegun = this.#isEnded = true;
    let text = this.#head(status, headers);
    const isJoined = body.length <= JOINED_BYTES_MAX;
    if (isJoined) text += body.toString('latin1');
    if (!this.#owner.isTurnOf(this)) {
      if (!isJoined) this.#heldPieces = [body];
      return this.#hold(text, body.length);
    }
    if (isJoined) this.#owner.put(text);
    else this.#writePieces(text, [body]);
    this.#owner.finish(this);
  }

  begin({ status, headers }: ReplyStart, pieces: readonly Buffer[], resume: () => void): boolean {
    if (this.isGone) return true;
    this.isBegun = true;
    this.#resume = resume;
    this.#isChunked = !headers.includes('Content-Length');
    const text = this.#head(status, headers);
    if (this.#owner.isTurnOf(this)) return this.#writePieces(text, pieces);
    this.#heldPieces = [...pieces];
    this.#hold(text, 0);
    this.#isWaiting = true;
    return false;
  }

  write(piece: Buffer): boolean {
    if (this.isGone) return true;
    if (this.#owner.isTurnOf(this)) return this.#writePieces('', [piece]);
    this.#heldPieces!.push(piece);
    this.#isWaiting = true;
    return false;
  }

  end(): void {
    if (this.isGone) return;
    this.#isEnded = true;
    if (this.#owner.isTurnOf(this)) this.#endTurn();
  }

  destroy(): void {
    // Cut only at its turn, because earlier answers must go out whole.
    this.#isCut = true;
    if (this.#owner.isTurnOf(this)) this.#owner.socket.destroy();
  }

  onLeave(leave: () => void): void {
    this.#leave = leave;
  }

  /** Every earlier answer is out. */
  takeTurn(): void {
    if (this.#isCut) return void this.#owner.socket.destroy();
    if (!this.isBegun) return;
    const [text, pieces] = [this.#heldText, this.#heldPieces];
    this.#heldText = '';
    this.#heldPieces = undefined;
    this.#owner.hold(-this.#heldBytes);
    if (pieces === undefined) this.#owner.put(text);
    else this.#writePieces(text, pieces);
    if (this.#isEnded) this.#endTurn();
  }

  /** The client left. */
  tellGone(): void {
    this.isGone = true;
    this.#heldPieces = undefined;
    this.#leave?.();
    this.watcher?.tellOut();
  }

  /**
   * The head of the answer as node:http writes it, including the empty line: the given headers, then those of the
   * connection.
   */
  #head(status: number, headers: readonly string[]): string {
    const isLast = this.#owner.endsWith(this);
    let head =
      status === 200 ? 'HTTP/1.1 200 OK\r\n' : `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? 'unknown'}\r\n`;
    for (let at = 0; at < headers.length; at += 2) head += `${headers[at]}: ${headers[at + 1]}\r\n`;
    head += dateLine();
    head += isLast
      ? 'Connection: close\r\n'
      : `Connection: keep-alive\r\nKeep-Alive: timeout=${Math.floor(this.#owner.keepAliveMs / 1_000)}\r\n`;
    return this.#isChunked ? `${head}Transfer-Encoding: chunked\r\n\r\n` : `${head}\r\n`;
  }

  #hold(text: string, bytes: number): void {
    this.#heldText = text;
    this.#heldBytes = text.length + bytes;
    this.#owner.hold(this.#heldBytes);
  }

  #endTurn(): void {
    if (this.#isChunked) this.#owner.put('0\r\n\r\n');
    this.#owner.finish(this);
  }

  /** @returns whether the kernel has taken everything */
  #writePieces(text: string, pieces: readonly Buffer[]): boolean {
    const { socket } = this.#owner;
    if (!socket.writable) return true;
    // A single piece is one write anyway.
    const isOne = text === '' && pieces.length === 1 && !this.#isChunked;
    if (!isOne) socket.cork();
    this.#owner.put(text);
    this.#owner.flush();
    for (const piece of pieces) {
      this.#unwritten += 1;
      if (this.#isChunked) socket.write(`${piece.length.toString(16)}\r\n`, 'latin1');
      socket.write(piece, this.#written);
      if (this.#isChunked) socket.write('\r\n', 'latin1');
    }
    if (!isOne) socket.uncork();
    this.#isWaiting ||= socket.writableLength > 0;
    return !this.#isWaiting;
  }

  #written = (): void => {
    this.#unwritten -= 1;
    if (this.#unwritten > 0 || !this.#isWaiting) return;
    this.#isWaiting = false;
    this.#resume?.();
  };
}

let second = 0;
let date = '';

function dateLine(): string {
  const now = Math.floor(Date.now() / 1_000);
  if (now !== second) {
    second = now;
    date = `Date: ${new Date(now * 1_000).toUTCString()}\r\n`;
  }
  return date;
}
