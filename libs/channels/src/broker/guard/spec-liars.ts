// SPDX-License-Identifier: Apache-2.0
import { createHmac, pbkdf2Sync } from 'node:crypto';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { createServer as createSecureServer, type TlsOptions } from 'node:tls';

/** What a server says: while a connection is opened, with the last bytes of the opening, or to a message. */
type Step = 'opening' | 'opened' | 'answer';
/** The honest bytes of a step as the liar says them. */
export type Lie = (step: Step, honest: Buffer) => Buffer;
export type Protocol = keyof typeof PROTOCOLS;

export interface Liar {
  readonly port: number;
  /** Bytes that it could say so far. */
  said(): number;
  /** Connections that are open. */
  count(): number;
  /** Connections that there were. */
  heard(): number;
  stop(): Promise<void>;
}

interface LiarOptions {
  readonly host?: string;
  /** Speaks TLS from the first byte. */
  readonly tls?: TlsOptions;
  /** Where it says less than it should, it says the rest byte after byte, one in this time: so that it is never idle. */
  readonly dripMs?: number;
  /** Whatever it says comes after this time. */
  readonly lateMs?: number;
}

/** A server that speaks a protocol as far as one message needs it, and lies where it is told to. */
export async function startLiar(
  protocol: Protocol,
  lie: Lie = (_step, honest) => honest,
  { host = '127.0.0.1', tls, dripMs, lateMs = 0 }: LiarOptions = {},
): Promise<Liar> {
  const sockets = new Set<Socket>();
  let saidBefore = 0;
  let heard = 0;
  const hearOne = (socket: Socket): void => {
    heard += 1;
    sockets.add(socket);
    socket.on('error', () => undefined).on('close', () => (saidBefore += socket.bytesWritten));
    socket.on('close', () => sockets.delete(socket));
    const say = (step: Step, honest: Buffer): void => {
      const said = lie(step, honest);
      setTimeout(() => pump(socket, said), lateMs);
      if (dripMs === undefined || said === honest) return;
      let at = said.length;
      const drip = setInterval(() => pump(socket, honest.subarray(at, (at += 1))), dripMs);
      socket.once('close', () => clearInterval(drip));
    };
    const hear = PROTOCOLS[protocol](say, (server.address() as AddressInfo).port);
    socket.on('data', hear);
  };
  const server = tls === undefined ? createServer(hearOne) : createSecureServer(tls, hearOne);
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  return {
    port: (server.address() as AddressInfo).port,
    said: () => [...sockets].reduce((sum, { bytesWritten }) => sum + bytesWritten, saidBefore),
    count: () => sockets.size,
    heard: () => heard,
    stop() {
      for (const socket of sockets) socket.destroy();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

const CHUNK = 65_536;

/** No more than the other side takes. */
function pump(socket: Socket, bytes: Buffer): void {
  if (!socket.writable || bytes.length === 0) return;
  const next = (): void => pump(socket, bytes.subarray(CHUNK));
  if (socket.write(bytes.subarray(0, CHUNK))) next();
  else socket.once('drain', next);
}

type Say = (step: Step, honest: Buffer) => void;
type Hear = (bytes: Buffer) => void;

const PROTOCOLS = {
  redis_stream: speakRedis,
  rabbitmq: speakAmqp,
  kafka: speakKafka,
  nats: speakNats,
  http: speakHttp,
  smtp: speakSmtp,
} satisfies Record<string, (say: Say, port: number) => Hear>;

function speakRedis(say: Say): Hear {
  return (bytes) => {
    for (const [, name] of bytes.toString().matchAll(/(?:^|\n)\*\d+\r\n\$\d+\r\n(\w+)/g))
      if (/^xadd$/i.test(name!)) say('answer', Buffer.from('$15\r\n1700000000000-0\r\n'));
      else say(/^select$/i.test(name!) ? 'opened' : 'opening', Buffer.from('+OK\r\n'));
  };
}

const INFO = { server_id: 's', version: '2.10.0', proto: 1, headers: true, max_payload: 1_048_576 };

function speakNats(say: Say): Hear {
  setImmediate(() => say('opening', Buffer.from(`INFO ${JSON.stringify(INFO)}\r\n`)));
  let isOpened = false;
  return (bytes) => {
    const text = bytes.toString('latin1');
    // Nobody stores it.
    for (const [, subject, reply] of text.matchAll(/(?:^|\n)H?PUB (\S+) (_INBOX\S+)? ?[\d ]+\r/g))
      if (reply !== undefined && subject!.startsWith('$JS'))
        say('opened', Buffer.from(`HMSG ${reply} 1 16 16\r\nNATS/1.0 503\r\n\r\n\r\n`));
    for (const _ping of text.matchAll(/PING\r\n/g)) {
      say(isOpened ? 'answer' : 'opened', Buffer.from('PONG\r\n'));
      isOpened = true;
    }
  };
}

function speakHttp(say: Say): Hear {
  return (bytes) => {
    if (bytes.includes('\r\n\r\n'))
      say('answer', Buffer.from('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}'));
  };
}

function speakSmtp(say: Say): Hear {
  setImmediate(() => say('opening', Buffer.from('220 mail.example.com ESMTP\r\n')));
  let isData = false;
  return (bytes) => {
    for (const line of bytes.toString('latin1').split('\r\n').slice(0, -1)) {
      if (isData && line !== '.') continue;
      isData = line === 'DATA';
      if (/^(EHLO|HELO)/.test(line)) say('opened', Buffer.from('250 mail.example.com\r\n'));
      else say('answer', Buffer.from(isData ? '354 go\r\n' : '250 ok\r\n'));
    }
  };
}

export const u8 = (value: number): Buffer => Buffer.from([value]);
export const u16 = (value: number): Buffer => Buffer.from([value >> 8, value & 255]);
export const u32 = (value: number): Buffer => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value >>> 0);
  return bytes;
};
export const join = (...parts: readonly Buffer[]): Buffer => Buffer.concat(parts);

/** AMQP 0-9-1 §2.3.5. */
export const amqpFrame = (type: number, channel: number, payload: Buffer): Buffer =>
  join(u8(type), u16(channel), u32(payload.length), payload, u8(0xce));
export const amqpMethod = (
  channel: number,
  [ofClass, method]: readonly number[],
  ...args: Buffer[]
): Buffer => amqpFrame(1, channel, join(u16(ofClass!), u16(method!), ...args));
const longText = (text: string): Buffer => join(u32(text.length), Buffer.from(text));

function speakAmqp(say: Say): Hear {
  let rest: Buffer = Buffer.alloc(0);
  let isGreeted = false;
  let tag = 0;
  const answers: Record<string, () => void> = {
    '10.11': () => say('opening', amqpMethod(0, [10, 30], u16(100), u32(131_072), u16(0))),
    '10.40': () => say('opened', amqpMethod(0, [10, 41], u8(0))),
    '10.50': () => say('answer', amqpMethod(0, [10, 51])),
    '20.10': () => say('opened', amqpMethod(1, [20, 11], u32(0))),
    '85.10': () => say('opened', amqpMethod(1, [85, 11])),
  };
  return (bytes) => {
    rest = join(rest, bytes);
    if (!isGreeted && rest.length >= 8) {
      isGreeted = true;
      rest = rest.subarray(8);
      const start = [u8(0), u8(9), u32(0), longText('PLAIN'), longText('en_US')];
      say('opening', amqpMethod(0, [10, 10], ...start));
    }
    while (rest.length >= 7 && rest.length >= rest.readUInt32BE(3) + 8) {
      const payload = rest.subarray(7, 7 + rest.readUInt32BE(3));
      if (rest[0] === 1) answers[`${payload.readUInt16BE(0)}.${payload.readUInt16BE(2)}`]?.();
      if (rest[0] === 3) say('answer', amqpMethod(1, [60, 80], u32(0), u32((tag += 1)), u8(0)));
      rest = rest.subarray(payload.length + 8);
    }
  };
}

export const kafkaText = (text: string): Buffer => join(u16(text.length), Buffer.from(text));
export const kafkaList = (...parts: readonly Buffer[]): Buffer => join(u32(parts.length), ...parts);
export const kafkaFrame = (...parts: readonly Buffer[]): Buffer => {
  const body = join(...parts);
  return join(u32(body.length), body);
};
export const kafkaBroker = (id: number, host: string, port: number): Buffer =>
  join(u32(id), kafkaText(host), u32(port), u16(0xffff));

const partition = join(u16(0), u32(0), u32(1), kafkaList(u32(1)), kafkaList(u32(1)));
const topic = join(u16(0), kafkaText('payments'), u8(0), kafkaList(partition));
/** Metadata v1 of a cluster of one server. */
const kafkaMetadata = (id: Buffer, host: string, port: number): Buffer =>
  kafkaFrame(id, kafkaList(kafkaBroker(1, host, port)), u32(1), kafkaList(topic));
/** Whoever asks is sent to another server. */
export const sendTo =
  (host: string, port: number): Lie =>
  (step, honest) =>
    step === 'opened' ? kafkaMetadata(Buffer.from(honest.subarray(4, 8)), host, port) : honest;

/** RFC 5802 §3 with the password `secret`; PLAIN is answered with nothing. */
function answerSasl(): (said: string) => string {
  let before = '';
  const hmac = (key: Buffer, text: string): Buffer => createHmac('sha256', key).update(text).digest();
  return (said) => {
    const [bare, nonce] = /n=[^,]*,r=([^,]+)$/.exec(said) ?? [];
    if (nonce !== undefined) {
      const first = `r=${nonce}x,s=${Buffer.from('salt').toString('base64')},i=0000004096`;
      before = `${bare},${first}`;
      return first;
    }
    const final = /c=biws,r=[^,]+/.exec(said)?.[0];
    if (final === undefined) return '';
    const salted = pbkdf2Sync('secret', 'salt', 4_096, 32, 'sha256');
    return `v=${hmac(hmac(salted, 'Server Key'), `${before},${final}`).toString('base64')}`;
  };
}

/** One broker with one partition of the topic `payments`: Metadata v1, Produce v3, SaslHandshake v1, SaslAuthenticate v0. */
function speakKafka(say: Say, port: number): Hear {
  let rest: Buffer = Buffer.alloc(0);
  const scram = answerSasl();
  const api = (key: number, version: number): Buffer => join(u16(key), u16(0), u16(version));
  const apis = [api(0, 3), api(3, 1), api(17, 1), api(18, 2), api(36, 0)];
  const written = join(u32(0), u16(0), u32(0), u32(7), u32(0xffffffff), u32(0xffffffff));
  const answers: Record<number, (id: Buffer, frame: Buffer) => void> = {
    0: (id) =>
      say('answer', kafkaFrame(id, kafkaList(join(kafkaText('payments'), kafkaList(written))), u32(0))),
    3: (id) => say('opened', kafkaMetadata(id, '127.0.0.1', port)),
    17: (id) =>
      say('opening', kafkaFrame(id, u16(0), kafkaList(kafkaText('SCRAM-SHA-256'), kafkaText('PLAIN')))),
    18: (id) => say('opening', kafkaFrame(id, u16(0), kafkaList(...apis), u32(0))),
    36: (id, frame) => {
      const said = Buffer.from(scram(frame.toString('latin1')));
      say('opening', kafkaFrame(id, u16(0), u16(0xffff), u32(said.length), said));
    },
  };
  return (bytes) => {
    rest = join(rest, bytes);
    while (rest.length >= 12 && rest.length >= rest.readUInt32BE(0) + 4) {
      const frame = rest.subarray(4, 4 + rest.readUInt32BE(0));
      answers[frame.readUInt16BE(0)]?.(Buffer.from(frame.subarray(4, 8)), frame);
      rest = rest.subarray(frame.length + 4);
    }
  };
}
