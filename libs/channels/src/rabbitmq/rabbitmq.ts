// SPDX-License-Identifier: Apache-2.0
import { maskUser, sealUser, userAuthInput, userCredentials, userAuthStored } from '../broker/user-auth.ts';
import { defineChannelKind } from '../define-channel-kind.ts';
import net, { type Socket } from 'node:net';
import { connect, type ChannelModel, type ConfirmChannel } from 'amqplib';
import type { Dial } from '@chainwatch/chain-core';
import { findReachable, hostOf } from '@chainwatch/outbound';
import type { ErrorCode } from '../attempt.ts';
import { InvalidAnswerError, NotAcknowledgedError } from '../broker/errors.ts';
import { connectGuarded } from '../broker/guard/guard-socket.ts';
import { AMQP_FRAME_MAX, amqpFrame, followFrames } from '../broker/guard/server-frames.ts';
import { Connections, type Connection, type Opening } from '../broker/keep-connections.ts';
import { describeMessage, publishOnce } from '../broker/publish-once.ts';
import type { Sender, SendRequest, ChannelTarget } from '../sender.ts';
import { z } from 'zod';
import { serverUrl } from '../broker/server-url.ts';
import { includeProof } from '../include-proof.ts';

const url = serverUrl({
  protocols: ['amqp:', 'amqps:'],
  path: /^(\/[^/]*)?$/,
  example: 'amqps://rabbitmq.example.com:5671/payments',
  description:
    'The server, AMQP 0-9-1; `amqps` speaks TLS. A path is the virtual host; without one it is `/`.',
});
// AMQP's short strings have at most 255 bytes.
const shortText = z
  .string()
  .refine((value) => Buffer.byteLength(value) <= 255, { error: 'expected at most 255 bytes' })
  .refine((value) => !/\p{C}/u.test(value), { error: 'expected no control characters' });
const exchange = shortText.meta({
  description: 'The exchange. Empty: the default one, which takes the routing key as the name of a queue.',
  examples: ['chainwatch'],
});
const routingKey = shortText.min(1).meta({
  description: 'The routing key of every message.',
  examples: ['payments'],
});

const rabbitStored = { url, exchange, routing_key: routingKey, ...includeProof, auth: userAuthStored };
type RabbitTarget = ChannelTarget<
  z.output<z.ZodObject<typeof rabbitStored>>,
  z.output<typeof userCredentials>
>;

/** Members of a request beside the credentials. */
const rabbitInput = { url, exchange: exchange.optional(), routing_key: routingKey, ...includeProof };

/** An exchange of a RabbitMQ server of a customer. */
export const rabbitmq = defineChannelKind({
  kind: 'rabbitmq',
  docs: {
    title: 'Rabbitmq',
    description: 'An exchange of a RabbitMQ server.',
    create: 'Create a channel that publishes to your own RabbitMQ server',
    update:
      'Change a RabbitMQ channel; a new URL, exchange, or routing key makes a failed channel active again',
    createExample: {
      name: 'Payments',
      url: 'amqps://rabbitmq.example.com:5671/payments',
      routing_key: 'payments',
      auth: { type: 'user', username: 'chainwatch', password: 'correct horse' },
    },
    updateExample: { routing_key: 'payments.v2' },
  },
  input: rabbitInput,
  secrets: { auth: userAuthInput },
  stored: rabbitStored,
  defaults: { events: 'movements', config: { exchange: '', auth: { type: 'none' } } },
  credentials: userCredentials,
  async check(given, { checkUrl }) {
    if (given.url !== undefined) await checkUrl(given.url, ['amqp:', 'amqps:']);
  },
  seal: sealUser,
  mask: maskUser,
  isNewTarget: (given, before) =>
    (given.url !== undefined && given.url !== before.url) ||
    (given.exchange !== undefined && given.exchange !== before.exchange) ||
    (given.routing_key !== undefined && given.routing_key !== before.routing_key) ||
    given.auth !== undefined,
  options: { idleMs: 60_000 },
  createSender: ({ dial }, { idleMs }) => createRabbitSender({ dial, idleMs }),
});

const PORTS: Readonly<Record<string, number>> = { 'amqp:': 5_672, 'amqps:': 5_671 };

interface Customer extends Connection {
  readonly connection: ChannelModel;
  /** By exchange: a server closes the AMQP channel of one that is not there. */
  readonly exchanges: Map<string, Promise<Exchange>>;
}

interface Exchange {
  readonly channel: ConfirmChannel;
  /** Messages that were sent; each has its number as its tag. */
  sent: number;
  /** Attempts that wait for the server's confirm, by tag. */
  readonly awaited: Map<number, string>;
  /** Those of them that no queue took. */
  readonly returned: Set<string>;
  /** Why the server closed the AMQP channel. */
  cause?: Error;
}

/** Publishes the event's bytes, persistent, and waits for the server's confirm: one connection for each server and its credentials. */
function createRabbitSender({
  dial,
  idleMs,
}: {
  readonly dial: Dial;
  readonly idleMs: number;
}): Sender<RabbitTarget> {
  const connections = new Connections<RabbitTarget, Customer>({
    keyOf: ({ config, credentials }) => JSON.stringify([config.url, credentials.auth]),
    open: (target, opening) => open(target, opening, dial),
    idleMs,
  });
  return {
    send: (request) => {
      const { url, exchange, routing_key: routingKey } = request.target.config;
      return publishOnce({
        request: {
          url,
          subject: exchange === '' ? routingKey : `${exchange}/${routingKey}`,
          headers: describeMessage(request),
        },
        answerMs: request.answerMs,
        publish: (sent) =>
          connections.through(request.target, request.timeoutMs, async (customer) => {
            const open = await takeExchange(customer, exchange);
            sent();
            return publish(open, request);
          }),
        classify,
      });
    },
    close: () => connections.close(),
  };
}

function takeExchange({ connection, exchanges }: Customer, name: string): Promise<Exchange> {
  const known = exchanges.get(name);
  if (known !== undefined) return known;
  const opening = connection.createConfirmChannel().then((channel) => {
    const exchange: Exchange = { channel, sent: 0, awaited: new Map(), returned: new Set() };
    // The library counts up to any number that the server says.
    const check = ({ deliveryTag }: { readonly deliveryTag: number }): void => {
      if (!exchange.awaited.has(deliveryTag)) throw new InvalidAnswerError(`a confirm of ${deliveryTag}`);
    };
    channel
      .prependListener('ack', check)
      .prependListener('nack', check)
      .on('return', ({ properties }) => {
        const attemptId = String(properties.headers?.[ATTEMPT]);
        if ([...exchange.awaited.values()].includes(attemptId)) exchange.returned.add(attemptId);
      })
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
  const tag = exchange.sent + 1;
  return new Promise((resolve, reject) => {
    exchange.channel.publish(name, routingKey, Buffer.from(body), options, (error: unknown) => {
      exchange.awaited.delete(tag);
      const isReturned = exchange.returned.delete(attemptId);
      if (isReturned) reject(new NotAcknowledgedError(new Error(`no queue is bound for ${routingKey}`)));
      // The library tells what waited before it tells why the channel was closed.
      else if (error) setImmediate(() => reject(exchange.cause ?? new NotAcknowledgedError(error)));
      else resolve(undefined);
    });
    exchange.sent = tag;
    exchange.awaited.set(tag, attemptId);
  });
}

/** Connects to a checked address alone. */
async function open(
  { config, credentials: { auth } }: RabbitTarget,
  { timeoutMs, signal }: Opening,
  dial: Dial,
): Promise<Customer> {
  const url = new URL(config.url);
  const host = hostOf(url);
  const port = Number(url.port) || PORTS[url.protocol]!;
  const address = await findReachable({ host, port, dial, timeoutMs });
  const isSecure = url.protocol === 'amqps:';
  const socket = connectGuarded({ host, address, port, isSecure, check: followFrames(amqpFrame), signal });
  let cause: unknown;
  socket.on('error', (error) => (cause = error));
  const lost = new Promise<never>((_resolve, reject) =>
    socket.once('close', () => reject(cause ?? new Error('the server closed the connection'))),
  );
  lost.catch(() => undefined);
  const options = {
    protocol: 'amqp',
    ...(auth.type === 'user' && { username: auth.username, password: auth.password }),
    // The client decodes it.
    vhost: url.pathname.slice(1) || '/',
    // Its timers outlive an opening that fails. A server that is gone is noticed by the message that it does not confirm.
    heartbeat: 0,
    frameMax: AMQP_FRAME_MAX,
    maxFrameSize: AMQP_FRAME_MAX,
  };
  const opening = giveSocket(socket, isSecure ? 'secureConnect' : 'connect', () =>
    connect(options, {
      timeout: timeoutMs,
      noDelay: true,
      clientProperties: { connection_name: 'chainwatch' },
    }),
  );
  const connection = await Promise.race([opening, lost]);
  let isClosed = false;
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
    destroy: () => socket.destroy(new Error('the connection was given up')),
  };
}

/** The library opens a socket itself and takes none. For the time of this call, the one that it opens is the guarded one. */
function giveSocket<T>(socket: Socket, connected: string, open: () => T): T {
  const { connect: unguarded } = net;
  let isTaken = false;
  const give = (_options: unknown, onConnect: () => void): Socket => {
    isTaken = true;
    return socket.once(connected, onConnect);
  };
  Object.assign(net, { connect: give });
  try {
    const opening = open();
    if (!isTaken) throw new Error('expected amqplib to take the guarded socket');
    return opening;
  } finally {
    Object.assign(net, { connect: unguarded });
  }
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
