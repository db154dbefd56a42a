import type { OpenSocket } from '@chainwatch/outbound';
import { KEEP_ALIVE_MS, MalformedReplyError, type WireHead } from './read-reply-head.ts';
import {
  type ConnectionOwner,
  type PooledConnection,
  StaleConnectionError,
  type ReplyHandler,
  type ReplySource,
} from './pooled-connection.ts';
import { ReplyReader, type ReplySink } from './reply-reader.ts';

/**
 * All connections read into this buffer first: one turn of the event loop reads one socket, and whatever is kept is
 * copied.
 */
const READ_BUFFER = Buffer.allocUnsafeSlow(65_536);
/** Up to this size it is cheaper to append the body to the head as text, in one write. */
const JOINED_BYTES_MAX = 8_192;

/**
 * One connection to a server, one request at a time. Any byte of a reply that is not understood ends the connection.
 */
export class RawConnection implements PooledConnection, ReplySink, ReplySource {
  freshUntil = 0;
  idleSince = 0;
  readonly bornAt: number;
  isConnected = false;
  keepAliveMs = KEEP_ALIVE_MS;
  readonly #socket: ReturnType<OpenSocket>;
  readonly #owner: ConnectionOwner;
  readonly #reader = new ReplyReader(this);
  #handler: ReplyHandler | undefined;
  #isPaused = false;
  #isGone = false;
  /**
   * The connection carried a reply before, and nothing of the next one has come: the server may have closed it
   * meanwhile.
   */
  #isStaleIfLost = false;
  #replyCount = 0;

  /** @throws Error if the address is forbidden */
  constructor(openSocket: OpenSocket, owner: ConnectionOwner, now: number) {
    this.#owner = owner;
    this.bornAt = now;
    const onread = {
      buffer: () => this.#handler?.buffer ?? READ_BUFFER,
      callback: (count: number, bytes: Uint8Array): boolean => this.#read(count, bytes as Buffer),
    };
    this.#socket = openSocket(onread, () => this.#connected())
      .on('end', () => this.#ended())
      .on('error', (error: Error) => this.destroy(error))
      .on('close', () => this.destroy(new Error('the server closed the connection')));
  }

  send(handler: ReplyHandler, head: string, body: Buffer): void {
    this.#handler = handler;
    this.#isStaleIfLost = this.#replyCount > 0;
    this.#reader.expect();
    handler.onSend(this);
    if (body.length <= JOINED_BYTES_MAX) {
      this.#socket.write(body.length === 0 ? head : head + body.toString('latin1', 0, body.length), 'latin1');
      return;
    }
    this.#socket.cork();
    this.#socket.write(head, 'latin1');
    this.#socket.write(body);
    this.#socket.uncork();
  }

  resume(): void {
    if (!this.#isPaused || this.#isGone) return;
    this.#isPaused = false;
    this.#socket.resume();
  }

  abort(): void {
    this.#handler = undefined;
    this.destroy(ABORTED);
  }

  destroy(error: Error): void {
    if (this.#isGone) return;
    this.#isGone = true;
    const handler = this.#handler;
    this.#handler = undefined;
    this.#reader.stop();
    this.#socket.destroy();
    this.#owner.onGone(this, error);
    handler?.onError(this.#isStaleIfLost ? new StaleConnectionError(error) : error);
  }

  onHead(head: WireHead): void {
    this.keepAliveMs = head.keepAliveMs;
    this.#handler!.onHead(head);
  }

  onBody(bytes: Buffer, start: number, end: number): void {
    if (!this.#handler!.onBody(bytes, start, end)) this.#isPaused = true;
  }

  onReplyEnd(isClean: boolean): void {
    const handler = this.#handler!;
    this.#replyCount += 1;
    const isOwn = handler.isOwnReply();
    this.#handler = undefined;
    this.#isPaused = false;
    // The connection is reused only if the server read the whole request before it answered, and sent nothing after its
    // answer.
    if (isOwn && isClean && this.keepAliveMs > 0 && this.#socket.writableLength === 0)
      this.#owner.onFree(this);
    else this.destroy(ENDED);
    handler.onComplete();
  }

  #connected(): void {
    if (this.#isGone) return;
    this.isConnected = true;
    this.#owner.onConnected(this);
  }

  /** @returns whether to continue reading */
  #read(count: number, bytes: Buffer): boolean {
    if (this.#isGone) return false;
    this.#isStaleIfLost = false;
    try {
      this.#reader.read(bytes, count);
    } catch (error) {
      this.destroy(error instanceof Error ? error : new MalformedReplyError(String(error)));
    }
    return !this.#isPaused;
  }

  #ended(): void {
    if (this.#isGone || this.#reader.end()) return;
    this.destroy(new Error('the server closed the connection'));
  }
}

const ABORTED = new Error('the reply is not wanted any more');
const ENDED = new Error('the connection is not used again');
