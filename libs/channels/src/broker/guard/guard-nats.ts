// SPDX-License-Identifier: Apache-2.0
import type { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import {
  NatsConnectionImpl,
  ProtocolHandler,
  setTransportFactory,
  type ConnectionOptions,
  type NatsConnection,
  type Server,
} from '@nats-io/transport-node';
import { NodeTransport, nodeResolveHost } from '@nats-io/transport-node/lib/node_transport.js';
import { InvalidAnswerError } from '../errors.ts';
import { guardSocket } from './guard-socket.ts';
import { followFrames, natsOperation } from './server-frames.ts';

/** `connect` of the client, over guarded sockets. An abort ends it, as long as it has not connected. */
export async function connectGuardedNats(
  options: ConnectionOptions,
  signal: AbortSignal,
): Promise<NatsConnection> {
  signal.throwIfAborted();
  // As its `connect` does, which takes no transport.
  const connection = Reflect.construct(NatsConnectionImpl, [options]) as NatsConnectionImpl;
  const handler = new GuardedHandler(connection.options, connection);
  const discard = (): void => handler.transport?.discard();
  signal.addEventListener('abort', discard);
  try {
    await handler.dialLoop();
  } catch (error) {
    // It leaves a socket open that has not connected.
    discard();
    throw error;
  } finally {
    signal.removeEventListener('abort', discard);
  }
  connection.protocol = handler;
  return connection;
}

class GuardedTransport extends NodeTransport {
  override async dial(address: { hostname: string; port: number }): Promise<Socket> {
    return guardSocket(await super.dial(address), followFrames(natsOperation));
  }

  override async startTLS(): Promise<TLSSocket> {
    return guardSocket(await super.startTLS(), followFrames(natsOperation));
  }
}

class GuardedHandler extends ProtocolHandler {
  /** The factory is the process's: it is another one for as long as this one transport is made. */
  override dial(server: Server): Promise<void> {
    setTransportFactory({ factory: () => new GuardedTransport(), dnsResolveFn: nodeResolveHost });
    try {
      return super.dial(server);
    } finally {
      setTransportFactory({ factory: () => new NodeTransport(), dnsResolveFn: nodeResolveHost });
    }
  }

  /** The client prints what it cannot read, and goes on collecting it. */
  override resetOutbound(): void {
    super.resetOutbound();
    const { parser } = this;
    const parse = parser.parse.bind(parser);
    parser.parse = (bytes) => {
      try {
        parse(bytes);
      } catch (error) {
        (this.transport as NodeTransport).socket.destroy(new InvalidAnswerError(error));
      }
    };
  }
}
