// SPDX-License-Identifier: Apache-2.0
import type { RawData, WebSocket } from 'ws';
import type { Dial, RpcSubscriptions } from '@chainwatch/chain-core';
import type { KeyStore, Principal } from '@chainwatch/data/key-store';
import { findCallFault } from '../calls/ruled-call.ts';
import type { Chain } from '../chains/chain.ts';
import { ClientReply } from '../http/client-reply.ts';
import type { ClientRequest } from '../http/client-request.ts';
import type { RpcRequest } from '../http/rpc-handler.ts';
import { type ScannedBody, type ScannedCall, NotACallError, scanBody } from '../json/scan-body.ts';
import { answerFull } from '../limits/answer-full.ts';
import type { MemoryQuota } from '../limits/tenants.ts';
import type { KeyLimits } from '../limits/key-limits.ts';
import type { UsageRecorder } from '../usage/usage-recorder.ts';
import { toBuffer } from './node-socket.ts';
import { SocketChannel } from './socket-channel.ts';
import { SubscriptionStream } from './subscription-stream.ts';
import { writeErrors } from './write-errors.ts';

export interface SessionOptions {
  readonly client: WebSocket;
  /** The underlying connection. */
  readonly socket: ClientRequest['socket'];
  readonly chain: Chain;
  /** The subscriptions of the chain's family. */
  readonly subscribing: RpcSubscriptions;
  readonly principal: Principal;
  readonly key: string;
  readonly keys: KeyStore;
  readonly limits: KeyLimits;
  /** Pays for what waits here. */
  readonly quota: MemoryQuota;
  readonly usage: UsageRecorder;
  readonly dial: Dial;
  /** Between two pings to the node of its subscriptions; for specs. */
  readonly nodePingMs?: number | undefined;
  /** Serves a call as over HTTP. */
  readonly serve: (request: RpcRequest, scanned: ScannedBody) => Promise<void>;
  readonly onFault: (error: unknown) => void;
}

const UNDER_WAY_MAX = 1_000;
/** Time for the client to close its side. */
const CLOSE_MS = 1_000;
/** Errors are short: they must go out even when there is no room for an answer. */
const SHORT_BYTES = 1_024;

/**
 * One client's socket. Its calls are served like those over HTTP, with the same nodes, limits and answers. Its
 * subscriptions have a socket of their own at a node.
 */
export class SocketSession {
  readonly #options: SessionOptions;
  readonly #stream: SubscriptionStream;
  readonly #channels = new Set<SocketChannel>();
  #underWay = 0;
  /** Bytes that the client has not accepted yet. */
  #unsentBytes = 0;
  #isOver = false;
  #isLeaving = false;

  constructor(options: SessionOptions) {
    const { client, chain, subscribing, dial, quota, principal, nodePingMs } = options;
    this.#options = options;
    this.#stream = new SubscriptionStream({
      chain,
      subscribing,
      dial,
      quota,
      nodePingMs,
      session: () => chain.sessions.of(principal.keyId),
      onSeen: () => void chain.sessions.save(principal.keyId),
      onMessage: (message) => this.#send(message),
      onUnavailable: () => this.end(1013, 'network unavailable'),
      onFault: this.#fail,
    });
    client.on('message', (data, isBinary) => void this.#onMessage(data, isBinary).catch(this.#fail));
    client.on('close', () => this.#onClose());
    client.on('error', () => client.terminate());
  }

  /** Called at intervals. */
  look(): void {
    try {
      if (this.#options.chain.isGone) return this.end(1013, 'network unavailable');
      this.#stream.look();
    } catch (error) {
      this.#fail(error);
    }
  }

  end(code: number, reason: string): void {
    const { client } = this.#options;
    if (this.#isOver) return;
    this.#release();
    client.close(code, reason);
    setTimeout(() => client.terminate(), CLOSE_MS).unref();
  }

  /** Ends as soon as no call is in flight. */
  leave(): void {
    this.#isLeaving = true;
    if (this.#underWay === 0) this.end(1012, 'the gateway restarts: connect again');
  }

  /** An exception ends this session only. */
  #fail = (error: unknown): void => {
    this.#options.onFault(error);
    this.end(1011, 'the gateway failed');
  };

  #onClose(): void {
    this.#options.quota.release(this.#unsentBytes);
    this.#unsentBytes = 0;
    if (this.#isOver) return;
    try {
      this.#release();
    } catch (error) {
      this.#fail(error);
    }
  }

  #release(): void {
    this.#isOver = true;
    this.#stream.close();
    for (const channel of [...this.#channels]) channel.tellGone();
  }

  async #onMessage(data: RawData, isBinary: boolean): Promise<void> {
    const { quota } = this.#options;
    if (this.#isOver) return;
    if (isBinary) return this.end(1003, 'expected text');
    const message = readMessage(toBuffer(data));
    const { length } = message.bytes;
    const full = this.#underWay >= UNDER_WAY_MAX ? 'connection' : quota.take(length);
    if (full !== undefined) return this.#refuse(message, -32005, answerFull(full).error);
    this.#underWay += 1;
    // From here on the upstream request holds its own bytes.
    const isAdmitted = await this.#admit(message).finally(() => quota.release(length));
    if (!isAdmitted || !this.#serve(message)) this.#settle();
  }

  /** A message is done. */
  #settle(): void {
    this.#underWay -= 1;
    if (this.#isLeaving) this.leave();
  }

  async #admit(message: ClientMessage): Promise<boolean> {
    const { keys, key, limits, principal } = this.#options;
    if ((await keys.findPrincipal(key)) === undefined) {
      this.end(1008, 'the API key is not valid any more');
      return false;
    }
    const { allowed, retryAfterSeconds } = await limits.take(
      principal.keyId,
      Math.max(1, message.calls.length),
    );
    if (!allowed) this.#refuse(message, -32005, `too many requests: wait ${retryAfterSeconds} s`);
    else if (message.fault !== undefined) this.#refuse(message, -32600, message.fault);
    return allowed && message.fault === undefined && !this.#isOver;
  }

  /** @returns whether it is in flight until its answer comes */
  #serve(message: ClientMessage): boolean {
    const { chain, principal, quota, socket, serve } = this.#options;
    const { bytes, calls, isBatch } = message;
    if (calls.some(({ method }) => this.#options.subscribing.methods.test(method))) {
      if (isBatch)
        this.#refuse(message, -32600, 'expected a subscription in a message of its own, got it in a batch');
      else this.#serveSubscription(message, calls[0]!);
      return false;
    }
    const channel = new SocketChannel({
      ...message,
      hold: (count) => quota.take(count) === undefined,
      finish: (answer, heldBytes) => {
        this.#channels.delete(channel);
        quota.release(heldBytes);
        if (answer !== undefined)
          this.#send(answer, writeErrors(message, { code: -32005, message: answerFull('key').error }));
        this.#settle();
      },
    });
    this.#channels.add(channel);
    // Without the handshake's headers: a compressed answer could not be sent as text.
    serve(
      {
        req: { method: 'POST', url: '', headers: {}, socket },
        reply: new ClientReply(channel),
        principal,
        quota,
        chain,
        rest: '',
        body: bytes,
      },
      message,
    ).catch(this.#fail);
    return true;
  }

  #serveSubscription(message: ClientMessage, call: ScannedCall): void {
    const { chain, principal, usage } = this.#options;
    const { bytes, ids } = message;
    const [id] = ids;
    const rule = chain.ruleOf(call.method);
    const fault = findCallFault({ chain, principal, body: bytes }, call, rule);
    if (fault !== undefined)
      return this.#refuse(message, fault.status === 403 ? -32601 : -32600, fault.error);
    const params = call.paramsStart === -1 ? EMPTY_LIST : bytes.subarray(call.paramsStart, call.paramsEnd);
    const parsed = parseJson(params);
    if (parsed === undefined) return this.#refuse(message, -32600, 'protocol mismatch: expected JSON');
    usage.countCall(principal, { chain, rule, bytesIn: bytes.length });
    if (/unsubscribe$/i.test(call.method)) {
      const [code, text] = this.#options.subscribing.unknownError;
      if (!this.#stream.unsubscribe(Array.isArray(parsed) ? parsed[0] : undefined))
        return this.#refuse(message, code, text);
      if (id !== undefined) this.#send(Buffer.from(`{"jsonrpc":"2.0","id":${id},"result":true}`));
      return;
    }
    // Without an id, nobody could receive the result.
    if (id === undefined) return;
    const full = this.#stream.subscribe(id, call.method, params);
    if (full !== undefined) this.#refuse(message, -32005, answerFull(full).error);
  }

  #refuse(message: ClientMessage, code: number, text: string): void {
    const errors = writeErrors(message, { code, message: text });
    if (errors !== undefined) this.#send(errors);
  }

  /**
   * @param instead what is sent if there is no room for the message. Without it the session ends, because no message
   * may be skipped.
   */
  #send(message: Buffer, instead?: Buffer): void {
    const { client, quota } = this.#options;
    if (this.#isOver || client.readyState !== client.OPEN) return;
    const full = quota.take(message.length);
    const sent = full === undefined || message.length <= SHORT_BYTES ? message : instead;
    // A client that does not read would not read the reason either.
    if (full === 'connection' || sent === undefined) return this.#cut();
    if (full !== undefined) quota.takeAnyway(sent.length);
    this.#unsentBytes += sent.length;
    client.send(sent, { binary: false }, () => {
      if (this.#unsentBytes === 0) return;
      this.#unsentBytes -= sent.length;
      quota.release(sent.length);
    });
  }

  #cut(): void {
    this.#release();
    this.#options.client.terminate();
  }
}

const EMPTY_LIST = Buffer.from('[]');

function parseJson(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch {
    return undefined;
  }
}

/** A message of a client: a call, or a batch of them. */
interface ClientMessage extends ScannedBody {
  readonly bytes: Buffer;
  /** Ids of the calls as raw JSON; undefined for a call that wants no answer. */
  readonly ids: readonly (string | undefined)[];
  /** Why the message is not a valid call or batch; there are no calls then. */
  readonly fault: string | undefined;
}

function readMessage(bytes: Buffer): ClientMessage {
  try {
    const { calls, isBatch } = scanBody(bytes);
    const ids = calls.map(({ idStart, idEnd }) =>
      idStart === -1 ? undefined : bytes.toString('utf8', idStart, idEnd),
    );
    return { bytes, calls, isBatch, ids, fault: undefined };
  } catch (error) {
    if (!(error instanceof NotACallError)) throw error;
    return { bytes, calls: [], isBatch: false, ids: [], fault: `protocol mismatch: ${error.message}` };
  }
}
