import type { Socket } from 'node:net';
import { answerClientError } from './answer-client-error.ts';
import type { BodyPayers, Payer, RequestHandler } from './http-request.ts';
import { HEAD_BYTES_MAX, KnownHead, readStrictHead } from './read-strict-head.ts';
import { RawChannel, type ChannelOwner } from './raw-channel.ts';
import { UnreadBytes } from './unread-bytes.ts';

export interface ServerTimeouts {
  /**
   * Time limits: until the first byte; from the first byte of a request to its last; from an answer to the next
   * request.
   */
  readonly headersTimeout: number;
  readonly requestTimeout: number;
  readonly keepAliveTimeout: number;
}

export interface ConnectionOwner {
  readonly handle: RequestHandler<never>;
  readonly payers: BodyPayers;
  /** The headers that are read of a head. */
  readonly headerNames: ReadonlySet<string>;
  readonly timeouts: ServerTimeouts;
  /** Milliseconds, as of the last sweep. */
  readonly now: number;
  readonly isStopping: boolean;
  /** Hands the connection to node:http, with these bytes to read first. */
  handOver(socket: Socket, unread: Buffer): void;
  forget(connection: AcceptedConnection): void;
}

/** Requests of one connection that may be in flight before the first of them is answered. */
const PIPELINED_MAX = 100;
/** Bytes of answers that wait for earlier answers; beyond this no further request is begun. */
const HELD_BYTES_MAX = 65_536;
/** Largest text for one write when one read brings several requests. */
const PUT_MAX = 65_536;

/**
 * One connection of a client, as long as its requests have the strict form. Anything else is handed over to node:http
 * for good, between requests and after every pending answer: this class never interprets what two readers may read
 * differently.
 */
export class AcceptedConnection implements ChannelOwner {
  readonly socket: Socket;
  readonly #owner: ConnectionOwner;
  /** Answers that are not out yet, in the order of their requests. */
  readonly #queue: RawChannel[] = [];
  readonly #unread = new UnreadBytes();
  /** Pays for the unread bytes. */
  #payer: Payer | undefined;
  #known: KnownHead | undefined;
  /** How many bytes are needed before it is worth parsing again. */
  #wanted = 0;
  /** The unread bytes are not a request of the strict form. */
  #isForeign = false;
  /** The unread bytes wait until answers are out. */
  #isHeldBack = false;
  /** The unread bytes are the beginning of a head. */
  #isHeadCut = false;
  #isTaking = false;
  /** No further request is read. */
  #isOver = false;
  #hasAsked = false;
  #put = '';
  #heldBytes = 0;
  /** Answers that were put, but have not all reached the kernel. */
  #unsent: RawChannel[] = [];
  /** Since when the connection has waited for a first byte, for the rest of a request, or for the next one. */
  #since: number;

  constructor(socket: Socket, owner: ConnectionOwner) {
    this.socket = socket;
    this.#owner = owner;
    this.#since = owner.now;
    socket
      .on('data', this.#onData)
      .on('end', this.#onEnd)
      .on('drain', this.#onDrain)
      .on('close', this.#onClose)
      .on('error', this.#onError);
  }

  isTurnOf(channel: RawChannel): boolean {
    return this.#queue[0] === channel;
  }

  get keepAliveMs(): number {
    return this.#owner.timeouts.keepAliveTimeout;
  }

  endsWith(channel: RawChannel): boolean {
    const isLast =
      this.#owner.isStopping && this.#unread.length === 0 && this.#queue[this.#queue.length - 1] === channel;
    if (isLast) this.#isOver = true;
    return isLast;
  }

  put(text: string): void {
    this.#put += text;
    if (!this.#isTaking || this.#put.length > PUT_MAX) this.flush();
  }

  hold(bytes: number): void {
    this.#heldBytes += bytes;
  }

  flush(): void {
    if (this.#put === '') return;
    const text = this.#put;
    this.#put = '';
    if (this.socket.writable) this.socket.write(text, 'latin1');
    this.#tellOut();
  }

  finish(channel: RawChannel): void {
    if (this.#queue[0] === channel) this.#queue.shift();
    this.#unsent.push(channel);
    this.#tellOut();
    this.#since = this.#owner.now;
    if (this.#queue.length > 0) this.#queue[0]!.takeTurn();
    if (!this.#isTaking) this.#goOn();
  }

  /** Pending answers finish; a connection without one closes now. */
  stop(): void {
    if (this.#queue.length === 0 && this.#unread.length === 0) this.#close();
  }

  sweep(now: number): void {
    const { headersTimeout, requestTimeout, keepAliveTimeout } = this.#owner.timeouts;
    const waitedMs = now - this.#since;
    if (this.#unread.length > 0 && !this.#isHeldBack && !this.#isOver) {
      if (waitedMs > requestTimeout) this.#refuse('ERR_HTTP_REQUEST_TIMEOUT');
    } else if (this.#queue.length > 0 || this.socket.writableLength > 0) this.#since = now;
    else if (this.#hasAsked || this.#isOver) {
      if (waitedMs > keepAliveTimeout) this.socket.destroy();
    } else if (waitedMs > headersTimeout) this.#refuse('ERR_HTTP_REQUEST_TIMEOUT');
  }

  #onData = (bytes: Buffer): void => {
    if (this.#isOver) return;
    if (this.#unread.length === 0) return this.#take(bytes);
    if (this.#payer?.take(bytes.length) !== undefined) return this.#giveUp(bytes);
    this.#unread.add(bytes);
    if (!this.#isHeldBack && this.#unread.length >= this.#wanted) this.#take(this.#takeUnread());
  };

  #onEnd = (): void => {
    if (this.#unread.length > 0 && !this.#isHeldBack && !this.#isOver) this.#refuse('HPE_INVALID_EOF_STATE');
    else this.socket.end();
    this.#isOver = true;
  };

  #onDrain = (): void => this.#goOn();

  #onClose = (): void => {
    this.#isOver = true;
    this.#owner.forget(this);
    this.#takeUnread();
    for (const channel of this.#queue.splice(0)) channel.tellGone();
    for (const channel of this.#unsent.splice(0)) channel.watcher?.tellOut();
  };

  // `close` follows.
  #onError = (): void => undefined;

  #tellOut(): void {
    if (this.#unsent.length === 0 || this.#put !== '' || !this.socket.writable) return;
    const channels = this.#unsent;
    if (this.socket.writableLength === 0) {
      for (const { watcher } of channels) watcher?.tellOut();
      channels.length = 0;
      return;
    }
    this.#unsent = [];
    this.socket.write('', 'latin1', () => {
      for (const { watcher } of channels) watcher?.tellOut();
    });
  }

  /** Begins every request that has arrived completely. */
  #take(bytes: Buffer): void {
    this.#isTaking = true;
    let at = 0;
    let head: KnownHead | undefined;
    while (at < bytes.length && this.#mayBegin()) {
      head = this.#findHead(bytes, at);
      if (head === undefined) break;
      const bodyStart = head.end;
      const end = bodyStart + head.contentLength;
      this.#wanted = end - at;
      if (end > bytes.length) {
        // The body of a stranger, or one that there is no room for, is left to node:http to answer.
        this.#payer = this.#owner.payers.find(head.request);
        if (this.#payer === undefined || this.#payer.take(bytes.length - at) !== undefined) {
          this.#payer = undefined;
          this.#isForeign = true;
        }
        break;
      }
      at = end;
      this.#begin(head.request, bytes.subarray(bodyStart, end));
    }
    this.#isTaking = false;
    this.flush();
    if (at < bytes.length && !this.#isOver)
      this.#keep(at === 0 ? bytes : bytes.subarray(at), head === undefined);
    this.#settle();
  }

  /** The head at `at`; undefined if it is incomplete or not of the strict form. */
  #findHead(bytes: Buffer, at: number): KnownHead | undefined {
    if (this.#known?.standsAt(bytes, at)) return this.#known;
    const end = bytes.indexOf('\r\n\r\n', at, 'latin1') + 4;
    if ((end === 3 ? bytes.length : end) - at > HEAD_BYTES_MAX) this.#isForeign = true;
    if (end === 3 || this.#isForeign) return undefined;
    const head = readStrictHead(bytes, { start: at, end, names: this.#owner.headerNames });
    if (head !== undefined)
      return (this.#known = new KnownHead({ bytes, start: at, head, socket: this.socket }));
    this.#isForeign = true;
    return undefined;
  }

  #mayBegin(): boolean {
    return (
      !this.#isOver &&
      this.#queue.length < PIPELINED_MAX &&
      this.#heldBytes < HELD_BYTES_MAX &&
      !this.socket.writableNeedDrain
    );
  }

  #begin(request: KnownHead['request'], body: Buffer): void {
    this.#hasAsked = true;
    const channel = new RawChannel(this);
    this.#queue.push(channel);
    this.#owner.handle(request, channel, { error: undefined, body });
  }

  #keep(bytes: Buffer, isHead: boolean): void {
    this.#since = this.#owner.now;
    this.#unread.add(bytes);
    this.#isHeldBack = this.#isForeign || !this.#mayBegin();
    this.#isHeadCut = isHead && !this.#isHeldBack;
    if (this.#isHeadCut) this.#wanted = 0;
    if (!this.#isHeldBack) return;
    this.socket.pause();
    // If there is no answer to wait for, the bytes are handed over at once.
    if (this.#queue.length > 0 || !this.#isForeign) this.#payWhileHeldBack();
  }

  /**
   * Pays for requests that may not begin yet. They are short: if there is no room even for them, the connection is cut
   * without an answer.
   */
  #payWhileHeldBack(): void {
    if (this.#payer !== undefined) return;
    this.#payer = this.#owner.payers.payerOf(this);
    if (this.#payer.take(this.#unread.length) === undefined) return;
    this.#payer = undefined;
    this.#isOver = true;
    this.socket.destroy();
  }

  #takeUnread(): Buffer {
    this.#payer?.release(this.#unread.length);
    this.#payer = undefined;
    return this.#unread.take();
  }

  /** There is no room for the rest of a body. */
  #giveUp(bytes: Buffer): void {
    const unread = this.#takeUnread();
    this.#isForeign = true;
    this.#keep(Buffer.concat([unread, bytes]), false);
    this.#settle();
  }

  /** An answer went out, or the client has read something. */
  #goOn(): void {
    if (this.#isTaking) return;
    if (this.#isHeldBack && !this.#isForeign && this.#mayBegin()) {
      this.#isHeldBack = false;
      this.#take(this.#takeUnread());
      if (!this.#isHeldBack) this.socket.resume();
    } else this.#settle();
  }

  /** Finishes or hands over the connection when no answer is pending. */
  #settle(): void {
    if (this.#queue.length > 0) return;
    if (this.#unread.length === 0) {
      if (this.#owner.isStopping) this.#close();
    } else if (!this.#isOver && (this.#isForeign || this.#isHeadCut)) this.#handOver();
  }

  #handOver(): void {
    this.#isOver = true;
    this.socket
      .off('data', this.#onData)
      .off('end', this.#onEnd)
      .off('drain', this.#onDrain)
      .off('close', this.#onClose)
      .off('error', this.#onError);
    this.#owner.forget(this);
    this.#owner.handOver(this.socket, this.#takeUnread());
  }

  /** Answers the way node:http answers malformed HTTP. */
  #refuse(code: 'ERR_HTTP_REQUEST_TIMEOUT' | 'HPE_INVALID_EOF_STATE'): void {
    this.#isOver = true;
    this.#since = this.#owner.now;
    // In the middle of an answer, this text would be taken for a part of it.
    if (this.#queue[0]?.isBegun) return void this.socket.destroy();
    answerClientError(Object.assign(new Error('the request did not come to its end'), { code }), this.socket);
  }

  #close(): void {
    this.#isOver = true;
    this.socket.destroySoon();
  }
}
