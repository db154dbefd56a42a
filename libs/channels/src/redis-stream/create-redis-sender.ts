import { isIP } from 'node:net';
import { Redis, type RedisOptions } from 'ioredis';
import type { Dial } from '@chainwatch/chain-core';
import { findReachable, hostOf } from '@chainwatch/outbound';
import type { ErrorCode } from '../attempt.ts';
import { Connections, type Connection } from '../broker/keep-connections.ts';
import { describeMessage, publishOnce } from '../broker/publish-once.ts';
import type { Sender, SendRequest } from '../sender.ts';
import type { RedisTarget } from './redis-stream-config.ts';

const DEFAULT_PORT = '6379';

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
export function createRedisSender({
  dial,
  idleMs,
}: {
  readonly dial: Dial;
  readonly idleMs: number;
}): Sender<RedisTarget> {
  const connections = new Connections<Place, Customer>({
    keyOf: ({ target: { config, credentials }, host, port }) =>
      JSON.stringify([config.url, host, port, credentials.auth]),
    open: (place, timeoutMs) => open(place, dial, timeoutMs),
    idleMs,
  });
  return {
    send: (request) =>
      publishOnce(
        {
          url: request.target.config.url,
          subject: request.target.config.stream,
          headers: describeMessage(request),
        },
        () => add(connections, request),
        classify,
      ),
    close: () => connections.close(),
  };
}

async function add(
  connections: Connections<Place, Customer>,
  request: SendRequest<RedisTarget>,
): Promise<object> {
  const { target, timeoutMs } = request;
  const url = new URL(target.config.url);
  const untilMs = performance.now() + timeoutMs;
  const addAt = (place: Place, leftMs: number): Promise<object> =>
    connections.through(place, leftMs, ({ redis }) => addTo(redis, request));
  const home = { target, host: hostOf(url), port: url.port || DEFAULT_PORT };
  try {
    return await addAt(home, timeoutMs);
  } catch (error) {
    const moved = error instanceof Error && /^MOVED \d+ (.*):(\d+)$/.exec(error.message);
    if (!moved) throw error;
    const [, host, port] = moved;
    return addAt({ target, host: host || home.host, port: port! }, Math.max(1, untilMs - performance.now()));
  }
}

async function addTo(redis: Redis, request: SendRequest<RedisTarget>): Promise<object> {
  const { stream, max_length: maxLength } = request.target.config;
  const trim = maxLength === null ? [] : ['MAXLEN', '~', maxLength];
  const fields = Object.entries(describeMessage(request)).flat();
  const id = await redis.call('XADD', stream, ...trim, '*', ...fields, 'payload', request.body);
  return { id };
}

/** Connects to a checked address alone; ioredis neither reconnects nor keeps commands for later. */
async function open({ target, host, port }: Place, dial: Dial, timeoutMs: number): Promise<Customer> {
  const url = new URL(target.config.url);
  const { auth } = target.credentials;
  const address = await findReachable({ host, port: Number(port), dial, timeoutMs });
  const options: RedisOptions = {
    host: address,
    port: Number(port),
    // The certificate must be valid for the name, or for the address where the URL has no name.
    ...(url.protocol === 'rediss:' && { tls: isIP(host) === 0 ? { servername: host } : {} }),
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
    redis.disconnect();
    throw isReply(error) ? error : (cause ?? error);
  }
  return {
    redis,
    isClosed: () => redis.status === 'end' || redis.status === 'close',
    onClosed: (listener) => void closed.then(listener),
    close: async () => redis.disconnect(),
    isRefusal: isReply,
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
