// SPDX-License-Identifier: Apache-2.0
import { once } from 'node:events';
import { WebSocket } from 'ws';
import { waitFor } from '@chainwatch/testing';

export interface Message {
  readonly id?: unknown;
  readonly method?: string;
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string };
  readonly params?: { readonly subscription: unknown; readonly result: unknown };
}

/** A client of a socket at the RPC gateway: what it was told, and how it ended. */
export class SocketClient {
  readonly socket: WebSocket;
  readonly texts: string[] = [];
  readonly messages: Message[] = [];
  closedWith: number | undefined;
  /** The status of an answer that is no handshake. */
  refusedWith: number | undefined;

  constructor(url: string, key: string) {
    this.socket = new WebSocket(url, { headers: { 'x-api-key': key } });
    this.socket.on('message', (data) => {
      this.texts.push(String(data));
      this.messages.push(JSON.parse(String(data)) as Message);
    });
    this.socket.on('close', (code) => (this.closedWith = code));
    this.socket.on('unexpected-response', (req, res) => {
      this.refusedWith = res.statusCode;
      req.destroy();
    });
    this.socket.on('error', () => undefined);
  }

  /** @throws what the handshake ended with */
  async join(): Promise<this> {
    await once(this.socket, 'open');
    return this;
  }

  /** Sends a call and waits for the answer with its id. */
  async ask(id: number | string, method: string, params: readonly unknown[] = []): Promise<Message> {
    this.socket.send(JSON.stringify({ jsonrpc: '2.0', id, method, params }));
    return waitFor(() => this.messages.find((message) => message.id === id), {
      message: () => `an answer to ${method} among ${this.texts.join(' ')}`,
    });
  }

  /** What came under a subscription. */
  told(subscription: unknown): unknown[] {
    return this.messages
      .filter(({ params }) => params?.subscription === subscription)
      .map(({ params }) => params!.result);
  }
}
