// SPDX-License-Identifier: Apache-2.0
import { WebSocket, type RawData } from 'ws';
import { type Dial, parseEndpoint } from '@chainwatch/chain-core';
import { KeySession } from '../chains/key-session.ts';
import type { Chain } from '../chains/chain.ts';
import type { Upstream } from '../upstreams/upstream.ts';

export interface NodeSocketOptions {
  readonly chain: Chain;
  readonly dial: Dial;
  /** A node's socket has opened, the first one or a replacement. */
  readonly onOpen: () => void;
  readonly onMessage: (bytes: Buffer, upstream: Upstream) => void;
  /** @returns whether a replacement is wanted */
  readonly onLost: () => boolean;
  /** There is no other node to go to. */
  readonly onUnavailable: () => void;
  /** One of the above failed. */
  readonly onFault: (error: unknown) => void;
  /** Between two pings to the node. Default 10,000. */
  readonly pingMs?: number | undefined;
}

const HANDSHAKE_MS = 5_000;
const PING_MS = 10_000;
/** After so many pings without a word from the node, its connection is gone. */
const PINGS_MAX = 3;
/** A node with this much unsent is treated as lost. */
const UNSENT_BYTES_MAX = 4 * 1_048_576;
/** An account of Solana has up to 10 MiB, in base64. */
const MESSAGE_BYTES_MAX = 32 * 1_048_576;

/** A socket at one of a chain's nodes. If that node is lost, it moves to the next one. */
export class NodeSocket {
  readonly #options: NodeSocketOptions;
  /** Nodes that were left because they were lost or unfit. */
  #tried: readonly Upstream[] = [];
  #socket: WebSocket | undefined;
  #upstream: Upstream | undefined;
  #isClosed = false;
  #pingedAt = 0;
  /** Pings since the node's last word. */
  #pings = 0;
  /** Something between may keep pings to itself: then nothing follows from their silence. */
  #answersPings = false;

  constructor(options: NodeSocketOptions) {
    this.#options = options;
  }

  get isOpen(): boolean {
    return this.#socket?.readyState === WebSocket.OPEN;
  }

  /** Opens a socket, unless one is open or opening. */
  connect(): void {
    if (this.#socket === undefined && !this.#isClosed) this.#next();
  }

  send(text: Buffer): void {
    this.#socket?.send(text, { binary: false });
    if ((this.#socket?.bufferedAmount ?? 0) > UNSENT_BYTES_MAX) this.leave();
  }

  /** The node does what it is asked: if it is lost later, every node may be tried again. */
  approve(): void {
    this.#tried = [];
  }

  /** Goes to another node. */
  leave(): void {
    this.#socket?.terminate();
  }

  /**
   * Nothing is written to a node that only sends, so without pings nobody would learn that its connection is gone. Called
   * at intervals.
   */
  ping(): void {
    const { pingMs = PING_MS } = this.#options;
    const now = performance.now();
    if (!this.isOpen || now - this.#pingedAt < pingMs) return;
    if (this.#pings >= PINGS_MAX && this.#answersPings) return this.leave();
    this.#pingedAt = now;
    this.#pings += 1;
    this.#socket!.ping();
  }

  /**
   * A node that hangs, lags or changed its chain keeps its sockets open but sends nothing over them. One that was removed is
   * left in any case: nobody looks after it any more.
   */
  leaveUnfit(): void {
    const { chain } = this.#options;
    const upstream = this.#upstream;
    if (upstream === undefined || !this.isOpen) return;
    if (!chain.upstreams.includes(upstream)) return this.leave();
    const isUnfit = upstream.isDown || upstream.isWrongChain || chain.lags(upstream);
    if (isUnfit && chain.upstreams.some((other) => other !== upstream && chain.serves(other))) this.leave();
  }

  close(): void {
    this.#isClosed = true;
    this.#socket?.terminate();
  }

  #next(): void {
    const { chain, onUnavailable } = this.#options;
    // Whatever the key has seen: a node may catch up while the subscriptions are there.
    const upstream = chain.pick(this.#tried, { session: new KeySession(chain.clock), checksReply: true });
    if (upstream === undefined || upstream === 'behind') return onUnavailable();
    this.#tried = [...this.#tried, upstream];
    this.#dial(upstream, socketUrlsOf(upstream));
  }

  #dial(upstream: Upstream, [url, ...others]: readonly string[]): void {
    const { dial, onOpen, onMessage } = this.#options;
    const endpoint = parseEndpoint(upstream.source.url);
    const socket = new WebSocket(url!, {
      headers: { ...endpoint.headers, ...upstream.source.headers },
      lookup: dial.lookup as never,
      handshakeTimeout: HANDSHAKE_MS,
      maxPayload: MESSAGE_BYTES_MAX,
      followRedirects: false,
    });
    this.#socket = socket;
    this.#upstream = upstream;
    let wasOpen = false;
    socket.on(
      'open',
      this.#guard(() => {
        wasOpen = true;
        this.#pingedAt = performance.now();
        this.#pings = 0;
        this.#answersPings = false;
        socket.ping();
        learnSocketUrl(upstream, url!);
        onOpen();
      }),
    );
    socket.on(
      'message',
      this.#guard((data: RawData) => {
        this.#pings = 0;
        onMessage(toBuffer(data), upstream);
      }),
    );
    socket.on('pong', () => {
      this.#pings = 0;
      this.#answersPings = true;
    });
    socket.on('error', () => undefined);
    socket.on(
      'close',
      this.#guard(() => {
        if (this.#isClosed) return;
        if (!wasOpen && others.length > 0) return this.#dial(upstream, others);
        this.#socket = undefined;
        if (!wasOpen || this.#options.onLost()) this.#next();
      }),
    );
  }

  /** Wraps a callback of `ws`: an exception ends the session instead of the process. */
  #guard<A extends unknown[]>(act: (...args: A) => void): (...args: A) => void {
    return (...args) => {
      try {
        act(...args);
      } catch (error) {
        this.#options.onFault(error);
      }
    };
  }
}

export function toBuffer(data: RawData): Buffer {
  if (Array.isArray(data)) return Buffer.concat(data);
  return Buffer.isBuffer(data) ? data : Buffer.from(data);
}

const known = new WeakMap<Upstream, string>();

/**
 * Where a node's socket may be, most likely first: at its endpoint (providers, anvil, erigon) or, if that names a port,
 * one port above (the defaults of geth, reth and agave, and where @solana/web3.js looks).
 */
function socketUrlsOf(upstream: Upstream): readonly string[] {
  const learned = known.get(upstream);
  if (learned !== undefined) return [learned];
  const { socketUrl, isSocket } = parseEndpoint(upstream.source.url);
  const { port } = new URL(upstream.source.url);
  if (isSocket || port === '' || port === '65535') return [socketUrl];
  const above = new URL(socketUrl);
  above.port = String(Number(port) + 1);
  return [socketUrl, above.href];
}

/** Remembers where a node's socket was found. */
function learnSocketUrl(upstream: Upstream, url: string): void {
  known.set(upstream, url);
}
