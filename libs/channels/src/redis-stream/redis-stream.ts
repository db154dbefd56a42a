// SPDX-License-Identifier: Apache-2.0
import { maskUser, sealUser, userAuthInput, userCredentials, userAuthStored } from '../broker/user-auth.ts';
import { defineChannelKind } from '../define-channel-kind.ts';
import type { Socket } from 'node:net';
import { AbstractConnector, Redis, type RedisOptions } from 'ioredis';
import type { Dial } from '@chainwatch/chain-core';
import { findReachable, hostOf } from '@chainwatch/outbound';
import type { ErrorCode } from '../attempt.ts';
import { NotAcknowledgedError } from '../broker/errors.ts';
import { connectGuarded } from '../broker/guard/guard-socket.ts';
import { followFrames, redisReply } from '../broker/guard/server-frames.ts';
import { Connections, type Connection, type Opening } from '../broker/keep-connections.ts';
import { describeMessage, publishOnce } from '../broker/publish-once.ts';
import type { Sender, SendRequest, ChannelTarget } from '../sender.ts';
import { z } from 'zod';
import { serverUrl } from '../broker/server-url.ts';
import { includeProof } from '../include-proof.ts';

const url = serverUrl({
  protocols: ['redis:', 'rediss:'],
  path: /^(\/\d{0,5})?$/,
  example: 'rediss://redis.example.com:6379/0',
  description: 'The server; `rediss` speaks TLS. A path is the number of a database.',
});
const stream = z
  .string()
  .min(1)
  .max(255)
  .refine((key) => !/\p{C}/u.test(key), { error: 'expected no control characters' })
  .meta({ description: 'Key of the stream; Redis makes it with the first event.', examples: ['payments'] });
const maxLength = z
  .int()
  .min(1_000)
  .max(1_000_000_000)
  .nullable()
  .meta({
    description: 'Entries that Redis keeps, about; older ones go. Null: nothing is removed.',
    examples: [1_000_000],
  });

const redisStored = { url, stream, max_length: maxLength, ...includeProof, auth: userAuthStored };
type RedisTarget = ChannelTarget<z.output<z.ZodObject<typeof redisStored>>, z.output<typeof userCredentials>>;

/** Members of a request beside the credentials. */
const redisInput = { url, stream, max_length: maxLength.optional(), ...includeProof };

/** A stream of a Redis or Valkey server of a customer. */
export const redisStream = defineChannelKind({
  kind: 'redis_stream',
  docs: {
    title: 'RedisStream',
    description: 'A stream of a Redis server.',
    create: 'Create a channel that adds events to your own Redis stream',
    update: 'Change a Redis channel; a new URL or stream makes a failed channel active again',
    createExample: { name: 'Payments', url: 'rediss://redis.example.com:6379/0', stream: 'payments' },
    updateExample: { max_length: 1_000_000 },
  },
  input: redisInput,
  secrets: { auth: userAuthInput },
  stored: redisStored,
  defaults: { events: 'movements', config: { max_length: null, auth: { type: 'none' } } },
  credentials: userCredentials,
  async check(given, { checkUrl }) {
    if (given.url !== undefined) await checkUrl(given.url, ['redis:', 'rediss:']);
  },
  seal: sealUser,
  mask: maskUser,
  isNewTarget: (given, before) =>
    (given.url !== undefined && given.url !== before.url) ||
    (given.stream !== undefined && given.stream !== before.stream) ||
    given.auth !== undefined,
  options: { idleMs: 60_000 },
  createSender: ({ dial }, { idleMs }) => createRedisSender({ dial, idleMs }),
});

const DEFAULT_PORT = '6379';
const ENTRY_ID = /^\d{1,20}-\d{1,20}$/;

interface Customer extends Connection {
  readonly redis: Redis;
}

/** Where a cluster says that a stream is, instead of the server of the URL. */
interface Place {
  readonly target: RedisTarget;
  readonly host: string;
  readonly port: string;
}

/** Adds the event's bytes to the customer's stream: one connection for each server and its credentials. */
function createRedisSender({
  dial,
  idleMs,
}: {
  readonly dial: Dial;
  readonly idleMs: number;
}): Sender<RedisTarget> {
  const connections = new Connections<Place, Customer>({
    keyOf: ({ target: { config, credentials }, host, port }) =>
      JSON.stringify([config.url, host, port, credentials.auth]),
    open: (place, opening) => open(place, opening, dial),
    idleMs,
  });
  return {
    send: (request) =>
      publishOnce({
        request: {
          url: request.target.config.url,
          subject: request.target.config.stream,
          headers: describeMessage(request),
        },
        answerMs: request.answerMs,
        publish: (sent) => add(connections, request, sent),
        classify,
      }),
    close: () => connections.close(),
  };
}

async function add(
  connections: Connections<Place, Customer>,
  request: SendRequest<RedisTarget>,
  sent: () => void,
): Promise<object> {
  const { target, timeoutMs } = request;
  const url = new URL(target.config.url);
  const untilMs = performance.now() + timeoutMs;
  const addAt = (place: Place, leftMs: number, isAsking = false): Promise<object> =>
    connections.through(place, leftMs, ({ redis }) => {
      sent();
      return addTo(redis, request, isAsking);
    });
  const home = { target, host: hostOf(url), port: url.port || DEFAULT_PORT };
  try {
    return await addAt(home, timeoutMs);
  } catch (error) {
    const redirect = error instanceof Error && /^(MOVED|ASK) \d+ (.*):(\d+)$/.exec(error.message);
    if (!redirect) throw error;
    const [, what, host, port] = redirect;
    const leftMs = Math.max(1, untilMs - performance.now());
    return addAt({ target, host: host || home.host, port: port! }, leftMs, what === 'ASK');
  }
}

/** @param isAsking the stream's slot is on its way to this server, which takes it once it is asked */
async function addTo(redis: Redis, request: SendRequest<RedisTarget>, isAsking: boolean): Promise<object> {
  const { stream, max_length: maxLength } = request.target.config;
  const trim = maxLength === null ? [] : ['MAXLEN', '~', maxLength];
  const fields = Object.entries(describeMessage(request)).flat();
  // It holds for the next command of the connection. What goes wrong, the next answer says.
  if (isAsking) redis.call('ASKING').catch(() => undefined);
  const id = await redis.call('XADD', stream, ...trim, '*', ...fields, 'payload', request.body);
  if (typeof id !== 'string' || !ENTRY_ID.test(id))
    throw new NotAcknowledgedError(new Error('expected the id of an entry'));
  return { id };
}

/** Connects to a checked address alone; ioredis neither reconnects nor keeps commands for later. */
async function open(
  { target, host, port }: Place,
  { timeoutMs, signal }: Opening,
  dial: Dial,
): Promise<Customer> {
  const url = new URL(target.config.url);
  const { auth } = target.credentials;
  const isSecure = url.protocol === 'rediss:';
  const address = await findReachable({ host, port: Number(port), dial, timeoutMs });
  const check = followFrames(redisReply);
  const socket = connectGuarded({ host, address, port: Number(port), isSecure, check, signal });
  const options: RedisOptions = {
    Connector: connectorOf(socket),
    // Which event of the socket to wait for.
    ...(isSecure && { tls: {} }),
    connectTimeout: timeoutMs,
    lazyConnect: true,
    enableOfflineQueue: false,
    enableReadyCheck: false,
    maxRetriesPerRequest: 0,
    retryStrategy: () => null,
  };
  const redis = new Redis(options);
  let cause: unknown;
  redis.on('error', (error) => (cause = error));
  const closed = new Promise<unknown>((resolve) => redis.once('end', () => resolve(cause)));
  try {
    await redis.connect();
    // By themselves: the client would go on without telling what the server said.
    if (auth.type === 'user') await redis.call('AUTH', auth.username, auth.password);
    if (url.pathname.length > 1) await redis.call('SELECT', url.pathname.slice(1));
  } catch (error) {
    socket.destroy();
    throw isReply(error) ? error : (cause ?? error);
  }
  return {
    redis,
    isClosed: () => redis.status === 'end' || redis.status === 'close',
    onClosed: (listener) => void closed.then(listener),
    close: async () => redis.disconnect(),
    destroy: () => socket.destroy(),
    isRefusal: isReply,
  };
}

function connectorOf(socket: Socket) {
  return class extends AbstractConnector {
    constructor() {
      super(0);
      this.stream = socket.once('error', (error) => (this.firstError = error));
    }

    connect(): Promise<Socket> {
      return Promise.resolve(socket);
    }
  };
}

/** Words that Redis begins an error reply with. */
const REPLIES: Readonly<Record<string, ErrorCode>> = {
  NOAUTH: 'authentication_failed',
  WRONGPASS: 'authentication_failed',
  NOPERM: 'permission_denied',
};

function isReply(error: unknown): error is Error {
  return error instanceof Error && error.name === 'ReplyError';
}

function classify(error: unknown): ErrorCode | undefined {
  if (!isReply(error)) return undefined;
  return REPLIES[error.message.split(' ', 1)[0]!] ?? 'not_acknowledged';
}
