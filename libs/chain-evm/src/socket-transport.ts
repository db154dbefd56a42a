// SPDX-License-Identifier: Apache-2.0
import type { Socket } from 'node:net';
import { WebSocket, type RawData } from 'ws';
import {
  ChainClientError,
  FairQueue,
  readAnswer,
  unwrap,
  withDeadline,
  type BlockHeader,
  type EndpointOptions,
  type RpcAnswer,
  type RpcCall,
} from '@chainwatch/chain-core';
import { createSocketOpener } from '@chainwatch/outbound';
import type { RpcReply, RpcTransport } from './rpc-transport.ts';

const MESSAGE_BYTES_MAX = 256 * 1024 * 1024;
const PING_INTERVAL_MS = 15_000;

interface SocketTransportOptions extends EndpointOptions {
  /** A subscription's notification: its id and what it carries. */
  readonly onNotification?: (subscription: string, result: unknown) => void;
  /** The open connection ended. */
  readonly onClose?: (error: ChainClientError) => void;
}

interface Pending {
  readonly resolve: (response: unknown) => void;
  readonly reject: (error: Error) => void;
}

/** JSON-RPC over one WebSocket. The first call opens it; after it ended the next call opens another. */
export class SocketTransport implements RpcTransport {
  readonly #options: SocketTransportOptions;
  readonly #queue: FairQueue;
  readonly #pending = new Map<number, Pending>();
  readonly #openSocket: ReturnType<typeof createSocketOpener>;
  #opening: Promise<WebSocket> | undefined;
  #nextId = 1;

  constructor(options: SocketTransportOptions) {
    this.#options = options;
    this.#queue = new FairQueue({ atOnce: Math.max(1, options.concurrency) });
    const { dial, timeoutMs, endpoint } = options;
    this.#openSocket = createSocketOpener({
      dial,
      timeoutMs,
      isSecure: endpoint.socketUrl.startsWith('wss:'),
    });
  }

  async call(method: string, params: readonly unknown[], signal?: AbortSignal): Promise<unknown> {
    return unwrap(await this.#ask({ method, params }, signal));
  }

  async ask(method: string, params: readonly unknown[], signal?: AbortSignal): Promise<RpcReply> {
    const answer = await this.#ask({ method, params }, signal);
    return { result: () => unwrap(answer) };
  }

  /** Messages of one socket need no batch form; the answers come as they are ready. */
  callMany(calls: readonly RpcCall[], signal?: AbortSignal): Promise<RpcAnswer[]> {
    return Promise.all(calls.map((call) => this.#ask(call, signal)));
  }

  close(): void {
    const opening = this.#opening;
    this.#opening = undefined;
    opening?.then(
      (socket) => socket.terminate(),
      () => undefined,
    );
  }

  #ask({ method, params }: RpcCall, signal: AbortSignal | undefined): Promise<RpcAnswer> {
    const deadline = { what: method, timeoutMs: this.#options.timeoutMs, signal, queue: this.#queue };
    return withDeadline(deadline, async (inner) => {
      const socket = await this.#open();
      return readAnswer(method, await this.#send(socket, { method, params }, inner));
    });
  }

  #send(socket: WebSocket, { method, params }: RpcCall, signal: AbortSignal): Promise<unknown> {
    const id = this.#nextId++;
    return new Promise<unknown>((resolve, reject) => {
      const onAbort = (): void => reject(signal.reason as Error);
      if (signal.aborted) return onAbort();
      signal.addEventListener('abort', onAbort, { once: true });
      this.#pending.set(id, { resolve, reject });
      socket.send(JSON.stringify({ jsonrpc: '2.0', id, method, params }), (error) => {
        if (error !== undefined && error !== null) reject(error);
      });
    }).finally(() => this.#pending.delete(id));
  }

  #open(): Promise<WebSocket> {
    this.#opening ??= this.#connect().catch((error: unknown) => {
      this.#opening = undefined;
      throw error;
    });
    return this.#opening;
  }

  #connect(): Promise<WebSocket> {
    const { endpoint, dial, timeoutMs } = this.#options;
    dial?.check(endpoint.socketUrl);
    const socket = new WebSocket(endpoint.socketUrl, {
      headers: endpoint.headers,
      handshakeTimeout: timeoutMs,
      maxPayload: MESSAGE_BYTES_MAX,
      followRedirects: false,
      perMessageDeflate: false,
      createConnection: this.#createConnection as never,
    });
    return new Promise((resolve, reject) => {
      socket.once('open', () => {
        this.#watch(socket);
        resolve(socket);
      });
      socket.once('error', reject);
      socket.once('unexpected-response', (request, response) => {
        request.destroy();
        const nodeCode = response.statusCode;
        reject(
          new ChainClientError(`WebSocket handshake: HTTP ${nodeCode ?? 'without status'}`, { nodeCode }),
        );
      });
    });
  }

  /** As a request's (node:http). */
  readonly #createConnection = (
    { host, port }: { readonly host: string; readonly port: number | string },
    callback: (error: unknown, socket?: Socket) => void,
  ): void => {
    this.#openSocket(host, Number(port)).then((socket) => callback(null, socket), callback);
  };

  #watch(socket: WebSocket): void {
    let isAlive = true;
    const ping = setInterval(() => {
      if (!isAlive) return socket.terminate();
      isAlive = false;
      socket.ping();
    }, PING_INTERVAL_MS);
    ping.unref();
    socket.on('pong', () => (isAlive = true));
    socket.on('message', (data) => {
      isAlive = true;
      // A client that only listens acknowledges late (TCP's delayed ACK), and a node that gathers small
      // packets (Nagle) holds back the next notification until then, up to 40 ms. A pong carries the
      // acknowledgement at once.
      if (this.#receive(data)) socket.pong();
    });
    socket.on('error', () => socket.terminate());
    socket.once('close', (code) => {
      clearInterval(ping);
      this.#opening = undefined;
      const error = new ChainClientError(`WebSocket closed with code ${code}`);
      for (const { reject } of this.#pending.values()) reject(error);
      this.#options.onClose?.(error);
    });
  }

  /** Returns whether it was a notification. */
  #receive(data: RawData): boolean {
    const message = parseMessage(data);
    const { id, params } = message ?? {};
    if (typeof id === 'number') this.#pending.get(id)?.resolve(message);
    if (
      typeof id === 'number' ||
      typeof params !== 'object' ||
      params === null ||
      !('subscription' in params) ||
      !('result' in params)
    )
      return false;
    this.#options.onNotification?.(String(params.subscription), params.result);
    return true;
  }
}

function parseMessage(data: RawData): { readonly id?: unknown; readonly params?: unknown } | undefined {
  try {
    const parsed = JSON.parse(String(data)) as unknown;
    return typeof parsed === 'object' && parsed !== null ? parsed : undefined;
  } catch {
    return undefined;
  }
}

interface HeadSubscription {
  readonly socket: EndpointOptions;
  /** Turns a pushed header into a proved one; asks the node again where the push is not enough. */
  readonly toHeader: (pushed: unknown) => BlockHeader | Promise<BlockHeader>;
  readonly onHead: (header: BlockHeader) => void;
  /** Called once, with the reason, unless stopped before. */
  readonly onEnd: (error: Error) => void;
}

/** `eth_subscribe newHeads` on a socket of its own. Returns stop. */
export function subscribeHeads({ socket, toHeader, onHead, onEnd }: HeadSubscription): () => void {
  let isOver = false;
  let order = Promise.resolve();
  const end = (error: Error): void => {
    if (isOver) return;
    isOver = true;
    transport.close();
    onEnd(error);
  };
  const transport = new SocketTransport({
    ...socket,
    onClose: end,
    onNotification: (_subscription, pushed) => {
      // One after the other, so that heads arrive in the node's order even when one has to be asked for.
      order = order
        .then(async () => {
          const header = await toHeader(pushed);
          if (!isOver) onHead(header);
        })
        .catch(end);
    },
  });
  transport.call('eth_subscribe', ['newHeads']).catch(end);
  return () => {
    isOver = true;
    transport.close();
  };
}

/** For endpoints given as WebSocket: calls go to the same place over HTTP, or over the socket where HTTP is not served. */
export class TwinTransport implements RpcTransport {
  readonly #http: RpcTransport;
  readonly #socket: RpcTransport;
  #chosen: RpcTransport | undefined;

  constructor(http: RpcTransport, socket: RpcTransport) {
    this.#http = http;
    this.#socket = socket;
  }

  call(method: string, params: readonly unknown[], signal?: AbortSignal): Promise<unknown> {
    return this.#choose((transport) => transport.call(method, params, signal));
  }

  /**
   * An ordinary call finds out which of the two works: only an answer that was parsed tells whether it came
   * from a node.
   */
  async ask(method: string, params: readonly unknown[], signal?: AbortSignal): Promise<RpcReply> {
    if (this.#chosen !== undefined) return this.#chosen.ask(method, params, signal);
    const result = await this.call(method, params, signal);
    return { result: () => result };
  }

  askTogether(
    calls: readonly RpcCall[],
    signal?: AbortSignal,
  ): Promise<readonly RpcReply[] | undefined> | undefined {
    return this.#chosen?.askTogether?.(calls, signal);
  }

  callMany(calls: readonly RpcCall[], signal?: AbortSignal): Promise<RpcAnswer[]> {
    return this.#choose((transport) => transport.callMany(calls, signal));
  }

  close(): void {
    this.#http.close();
    this.#socket.close();
  }

  async #choose<T>(use: (transport: RpcTransport) => Promise<T>): Promise<T> {
    if (this.#chosen !== undefined) return use(this.#chosen);
    try {
      const result = await use(this.#http);
      this.#chosen = this.#http;
      return result;
    } catch (error) {
      if (isNodeAnswer(error)) throw error;
      const result = await use(this.#socket);
      this.#chosen = this.#socket;
      return result;
    }
  }
}

/** A JSON-RPC error came over HTTP, so HTTP works. */
function isNodeAnswer(error: unknown): boolean {
  return error instanceof ChainClientError && error.nodeCode !== undefined && error.nodeCode < 0;
}
