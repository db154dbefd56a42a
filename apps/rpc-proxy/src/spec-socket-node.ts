// SPDX-License-Identifier: Apache-2.0
import type { Duplex } from 'node:stream';
import { WebSocketServer, type WebSocket } from 'ws';
import { startSpecNode, type SpecNode } from './spec-node.ts';

export interface SocketCall {
  readonly id?: unknown;
  readonly method: string;
  readonly params: readonly unknown[];
}

/** A spec's node that also has a socket. It numbers subscriptions 0, 1, 2 … on each connection, as agave does. */
export interface SpecSocketNode extends SpecNode {
  /** Calls received over its sockets. */
  readonly heard: SocketCall[];
  readonly sockets: Set<WebSocket>;
  /** The id of its n-th subscription, as JSON. */
  nameOf: (index: number) => string;
  /** Handles a message instead of answering it. */
  onMessage: ((text: string, socket: WebSocket) => void) | undefined;
  /** Sends a text to every connection. */
  say(text: string): void;
  /** Cuts every connection, and accepts no new one. */
  cut(): void;
}

export async function startSpecSocketNode(
  options: Parameters<typeof startSpecNode>[1] & { readonly isSilent?: boolean } = {},
): Promise<SpecSocketNode> {
  const node = await startSpecNode(undefined, options);
  const sockets = new Set<WebSocket>();
  let isGone = false;
  const more: Pick<SpecSocketNode, 'heard' | 'sockets' | 'nameOf' | 'onMessage' | 'say' | 'cut'> = {
    heard: [],
    sockets,
    nameOf: String,
    onMessage: undefined,
    say: (text) => sockets.forEach((socket) => socket.send(text)),
    cut: () => {
      isGone = true;
      for (const socket of sockets) socket.terminate();
    },
  };
  const { stop } = node;
  const raw = new Set<Duplex>();
  const own = Object.assign(node, more);
  const server = new WebSocketServer({ noServer: true });
  // Without a handshake the socket is open but never ready.
  if (options.isSilent === true)
    node.server.on('upgrade', (_req, socket) => void raw.add(socket.on('error', () => undefined)));
  else
    node.server.on('upgrade', (req, socket, head) =>
      isGone
        ? socket.destroy()
        : server.handleUpgrade(req, socket, head, (client) => {
            let made = 0;
            sockets.add(client);
            client.on('close', () => sockets.delete(client));
            client.on('error', () => undefined);
            client.on('message', (data) => {
              const text = String(data);
              if (own.onMessage !== undefined) return own.onMessage(text, client);
              const call = JSON.parse(text) as SocketCall;
              if (Array.isArray(call))
                return client.send(
                  '{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"no batches"}}',
                );
              own.heard.push(call);
              const result =
                /[sS]ubscribe$/.test(call.method) && !/[uU]nsubscribe$/.test(call.method)
                  ? own.nameOf(made++)
                  : 'true';
              if (call.id !== undefined)
                client.send(`{"jsonrpc":"2.0","id":${JSON.stringify(call.id)},"result":${result}}`);
            });
          }),
    );
  return Object.assign(own, {
    stop: async () => {
      own.cut();
      for (const socket of raw) socket.destroy();
      await stop();
    },
  });
}
