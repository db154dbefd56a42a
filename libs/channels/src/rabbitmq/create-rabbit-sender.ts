import { isIP } from 'node:net';
import { connect, type ChannelModel, type ConfirmChannel } from 'amqplib';
import type { Dial } from '@chainwatch/chain-core';
import { findReachable, hostOf } from '@chainwatch/outbound';
import type { ErrorCode } from '../attempt.ts';
import { NotAcknowledgedError } from '../broker/errors.ts';
import { Connections, type Connection } from '../broker/keep-connections.ts';
import { describeMessage, publishOnce } from '../broker/publish-once.ts';
import type { Sender, SendRequest } from '../sender.ts';
import type { RabbitTarget } from './rabbitmq-config.ts';

const HEARTBEAT_S = 20;
const PORTS: Readonly<Record<string, number>> = { 'amqp:': 5_672, 'amqps:': 5_671 };

interface Customer extends Connection {
  readonly connection: ChannelModel;
  /** By exchange: a server closes the AMQP channel of one that is not there. */
  readonly exchanges: Map<string, Promise<Exchange>>;
}

interface Exchange {
  readonly channel: ConfirmChannel;
  /** Ids of attempts that no queue took. */
  readonly returned: Set<string>;
  /** Why the server closed the AMQP channel. */
  cause?: Error;
}

/** Publishes the event's bytes, persistent, and waits for the server's confirm: one connection for each server and its credentials. */
export function createRabbitSender({
  dial,
  idleMs,
}: {
  readonly dial: Dial;
  readonly idleMs: number;
}): Sender<RabbitTarget> {
  const connections = new Connections<RabbitTarget, Customer>({
    keyOf: ({ config, credentials }) => JSON.stringify([config.url, credentials.auth]),
    open: (target, timeoutMs) => open(target, dial, timeoutMs),
    idleMs,
  });
  return {
    send: (request) => {
      const { url, exchange, routing_key: routingKey } = request.target.config;
      return publishOnce(
        {
          url,
          subject: exchange === '' ? routingKey : `${exchange}/${routingKey}`,
          headers: describeMessage(request),
        },
        () =>
          connections.through(request.target, request.timeoutMs, async (customer) =>
            publish(await takeExchange(customer, exchange), request),
          ),
        classify,
      );
    },
    close: () => connections.close(),
  };
}

function takeExchange({ connection, exchanges }: Customer, name: string): Promise<Exchange> {
  const known = exchanges.get(name);
  if (known !== undefined) return known;
  const opening = connection.createConfirmChannel().then((channel) => {
    const exchange: Exchange = { channel, returned: new Set() };
    channel
      .on('return', ({ properties }) => exchange.returned.add(String(properties.headers?.[ATTEMPT])))
      .on('error', (error: Error) => (exchange.cause = error))
      .on('close', () => exchanges.delete(name));
    return exchange;
  });
  exchanges.set(name, opening);
  opening.catch(() => exchanges.delete(name));
  return opening;
}

const ATTEMPT = 'X-Webhook-Delivery-Id';

/** @throws NotAcknowledgedError when no queue took it or the server refused it, and the server's reason for closing the AMQP channel */
function publish(exchange: Exchange, request: SendRequest<RabbitTarget>): Promise<undefined> {
  const { target, event, attemptId, body, contentType } = request;
  const { exchange: name, routing_key: routingKey } = target.config;
  const options = {
    persistent: true,
    mandatory: true,
    messageId: event.eventId,
    type: event.eventType,
    contentType,
    headers: describeMessage(request),
  };
  return new Promise((resolve, reject) => {
    exchange.channel.publish(name, routingKey, Buffer.from(body), options, (error: unknown) => {
      const isReturned = exchange.returned.delete(attemptId);
      if (isReturned) reject(new NotAcknowledgedError(new Error(`no queue is bound for ${routingKey}`)));
      // The library tells what waited before it tells why the channel was closed.
      else if (error) setImmediate(() => reject(exchange.cause ?? new NotAcknowledgedError(error)));
      else resolve(undefined);
    });
  });
}

/** Connects to a checked address alone. */
async function open(
  { config, credentials: { auth } }: RabbitTarget,
  dial: Dial,
  timeoutMs: number,
): Promise<Customer> {
  const url = new URL(config.url);
  const host = hostOf(url);
  const port = Number(url.port) || PORTS[url.protocol]!;
  const address = await findReachable({ host, port, dial, timeoutMs });
  const connection = await connect(
    {
      protocol: url.protocol.slice(0, -1),
      hostname: address,
      port,
      ...(auth.type === 'user' && { username: auth.username, password: auth.password }),
      // The client decodes it.
      vhost: url.pathname.slice(1) || '/',
      heartbeat: HEARTBEAT_S,
    },
    {
      timeout: timeoutMs,
      noDelay: true,
      clientProperties: { connection_name: 'chainwatch' },
      // The certificate must be valid for the name, or for the address where the URL has no name.
      ...(isIP(host) === 0 && { servername: host }),
    },
  );
  let isClosed = false;
  let cause: unknown;
  connection.on('error', (error) => (cause = error));
  const closed = new Promise<unknown>((resolve) =>
    connection.once('close', () => {
      isClosed = true;
      resolve(cause);
    }),
  );
  return {
    connection,
    exchanges: new Map(),
    isClosed: () => isClosed,
    onClosed: (listener) => void closed.then(listener),
    close: () => connection.close(),
  };
}

/** Replies of AMQP 0-9-1 that are no success. */
function classify(error: unknown): ErrorCode | undefined {
  if (!(error instanceof Error)) return undefined;
  const code = 'code' in error ? error.code : undefined;
  // The server refuses a log-in, or a virtual host, before the connection is open.
  if (/^(Handshake terminated|Connection closed).*(403|530)/.test(error.message))
    return 'authentication_failed';
  if (code === 403) return 'permission_denied';
  return typeof code === 'number' ? 'not_acknowledged' : undefined;
}
