// SPDX-License-Identifier: Apache-2.0
import { behind, hear, instead, mailTo, start, watchProcess } from './spec-customers.ts';
import {
  amqpFrame,
  amqpMethod,
  join,
  kafkaBroker,
  kafkaFrame,
  kafkaList,
  kafkaText,
  u16,
  u32,
  u8,
  type Lie,
} from './spec-liars.ts';

const MIB = 1_048_576;
watchProcess();

const ofAmqp = (code: number): Buffer => amqpMethod(0, [10, 50], u16(code), u8(0), u16(0), u16(0));
const ack = (tag: readonly [number, number], multiple = 0): Buffer =>
  amqpMethod(1, [60, 80], u32(tag[0]), u32(tag[1]), u8(multiple));
const closed = amqpMethod(1, [20, 40], u16(404), u8(0), u16(60), u16(40));
const returned = (attempt: string): Buffer =>
  join(
    amqpMethod(1, [60, 50], u16(312), u8(0), u8(0), u8(0)),
    amqpFrame(
      2,
      1,
      join(
        u16(60),
        u16(0),
        u32(0),
        u32(0),
        u16(0x2000),
        u32(attempt.length + 27),
        u8(21),
        Buffer.from('X-Webhook-Delivery-Id'),
        Buffer.from('S'),
        u32(attempt.length),
        Buffer.from(attempt),
      ),
    ),
  );
const HUGE = 33_554_432;
const metadata = (id: Buffer, ...rest: Buffer[]): Buffer => kafkaFrame(id, ...rest);
/** The honest answer begins with its length and the number of the question. */
const asMetadata =
  (...rest: Buffer[]): Lie =>
  (step, honest) =>
    step === 'opened' ? metadata(Buffer.from(honest.subarray(4, 8)), ...rest) : honest;
const manyBrokers = Array.from({ length: 60_000 }, (_, index) => kafkaBroker(index, 'a', 9_092));

const LIES: Readonly<Record<string, Readonly<Record<string, Lie>>>> = {
  redis_stream: {
    'an array of 99,999,999,999': instead('answer', '*99999999999\r\n'),
    'an array of 33,554,432': instead('opened', `*${HUGE}\r\n`.repeat(8)),
    'arrays in arrays': instead('answer', '*1\r\n'.repeat(20_000)),
    'nothing, unasked': behind('opened', '$-1\r\n'),
    'answers, unasked': behind('opened', '+OK\r\n'.repeat(100_000)),
    'no entry id': instead('answer', '+OK\r\n'),
    null: instead('answer', '$-1\r\n'),
    'a type that there is not': instead('answer', '?1\r\n'),
    'a length that is none': instead('answer', '$-5\r\nabc\r\n'),
  },
  kafka: {
    'four zeros': instead('answer', u32(0)),
    'four zeros, first': instead('opening', u32(0)),
    'a negative length': instead('answer', u32(0xffffffff)),
    'arrays of 33,554,432': asMetadata(
      u32(0),
      u32(1),
      u32(1),
      u16(0),
      u16(0),
      u8(0),
      ...Array(3).fill(u32(HUGE)),
    ),
    'brokers of 33,554,432': asMetadata(u32(HUGE)),
    '60,000 brokers': asMetadata(kafkaList(...manyBrokers), u32(1), kafkaList()),
    'a topic without partitions': asMetadata(
      kafkaList(kafkaBroker(1, '127.0.0.1', 1)),
      u32(1),
      kafkaList(join(u16(0), kafkaText('payments'), u8(0), kafkaList())),
    ),
    'ports that are none': asMetadata(
      kafkaList(kafkaBroker(1, '127.0.0.1', 99_999)),
      u32(1),
      kafkaList(
        join(u16(0), kafkaText('payments'), u8(0), kafkaList(join(u16(0), u32(0), u32(1), u32(0), u32(0)))),
      ),
    ),
    'an answer that nobody waits for': behind('opened', kafkaFrame(u32(77), u32(0))),
  },
  rabbitmq: {
    'open-ok and close in one segment': behind('opened', ofAmqp(541)),
    'open-ok and bytes of no frame in one segment': behind('opened', Buffer.alloc(64, 7)),
    'a frame of another AMQP channel': behind('opened', amqpMethod(9, [60, 80], u32(0), u32(1), u8(0))),
    'a tag of 4,294,967,295, and close': instead('answer', join(ack([0, 0xfffffff0]), closed)),
    'a tag of 4,294,967,295, and the end': instead('answer', join(ack([0, 0xfffffff0]), ofAmqp(320))),
    'tags beyond': instead(
      'answer',
      join(ack([0xffff, 1]), ack([1, 1], 1), ack([0, 0]), ack([0, 0], 1), closed),
    ),
    'a delivery': instead('answer', amqpMethod(1, [60, 60], u8(0), u32(0), u32(1), u8(0), u8(0), u8(0))),
    'a frame of 64 MiB': instead('answer', join(u8(1), u16(1), u32(64 * MIB))),
    'content without an end': instead(
      'answer',
      join(
        amqpMethod(1, [60, 50], u16(312), u8(0), u8(0), u8(0)),
        amqpFrame(2, 1, join(u16(60), u16(0), u32(0xff), u32(0), u16(0))),
        ...Array.from({ length: 100 }, () => amqpFrame(3, 1, Buffer.alloc(100_000))),
      ),
    ),
    'tables in tables': instead(
      'opening',
      amqpMethod(0, [10, 10], u8(0), u8(9), ...nestTables(20_000), u32(0), u32(0)),
    ),
    'an answer that nobody waits for': behind('opened', amqpMethod(1, [85, 11])),
    flow: instead('answer', amqpMethod(1, [20, 20], u8(0))),
  },
  nats: {
    'null as INFO': instead('opening', 'INFO null\r\n'),
    'null as a second INFO': behind('opened', 'INFO null\r\n'),
    'no JSON as INFO': instead('opening', 'INFO {x}\r\n'),
    'no JSON as a second INFO': behind('opened', 'INFO {x}\r\n'),
    'INFO of other types': instead(
      'opening',
      'INFO {"version":{},"nonce":[],"max_payload":"x","headers":1}\r\n',
    ),
    'a message of 64 MiB': behind('opened', `MSG x 1 ${64 * MIB}\r\n`),
    'a message without a size': behind('opened', 'MSG x 1 -1\r\n'),
    'headers that are none': behind('opened', 'HMSG _INBOX.x.y 1 3 3\r\nabc\r\n'),
    'an error': instead('answer', `-ERR '${'x'.repeat(1_000)}'\r\n`),
    'pings without an end': instead('answer', 'PING\r\n'.repeat(200_000)),
    'a word that there is not': instead('answer', 'HELLO\r\n'),
    'an authorization error, late': instead('answer', "-ERR 'Authorization Violation'\r\n"),
    'TLS that it has not': instead('opening', 'INFO {"tls_required":true}\r\n'),
  },
};
for (const kind of ['webhook', 'http_batch', 'sqs'])
  Object.assign(LIES, {
    [kind]: {
      'no HTTP': instead('answer', '220 mail.example.com ESMTP\r\n'),
      'a change of the protocol': instead(
        'answer',
        'HTTP/1.1 101 Switching\r\nupgrade: x\r\nconnection: upgrade\r\n\r\nx',
      ),
      'interim answers without an end': instead(
        'answer',
        'HTTP/1.1 103 Early Hints\r\nx: y\r\n\r\n'.repeat(50_000),
      ),
      'headers without an end': instead('answer', `HTTP/1.1 500 No\r\n${'x: y\r\n'.repeat(100_000)}`),
      'a chunk that is none': instead(
        'answer',
        'HTTP/1.1 500 No\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n',
      ),
      'a length that is none': instead('answer', 'HTTP/1.1 500 No\r\ncontent-length: 1e9\r\n\r\n'),
    },
  });

function nestTables(depth: number): Buffer[] {
  // A field named `a` that holds a table.
  const parts: Buffer[] = [];
  for (let level = depth; level > 0; level -= 1) parts.push(u32(level * 7), u8(1), Buffer.from('aF'));
  return [...parts, u32(0)];
}

/** Said beside the answer. */
const HARMLESS = ['an answer that nobody waits for', 'headers that are none'];

for (const [kind, lies] of Object.entries(LIES))
  test.each(Object.entries(lies))(`a server of a ${kind} channel that says: %s`, async (name, lie) => {
    const sent = await hear(kind, lie);
    if (!HARMLESS.includes(name)) expect(sent.errorCode).toBeDefined();
    expect(sent.durationMs).toBeLessThan(10_000);
  });

test('a Kafka cluster that wants a password hashed 2,147,483,647 times', async () => {
  const auth = { type: 'scram-sha-256', username: 'u', password: 'p' };
  const lie: Lie = (_step, honest) =>
    Buffer.from(honest.toString('latin1').replace('i=0000004096', 'i=2147483647'), 'latin1');
  const sent = await hear('kafka', lie, { credentials: { auth } });
  expect(sent).toMatchObject({ errorCode: 'authentication_failed' });
});

test.each([
  [300, undefined],
  [5_000, 'connection_reset'],
])('a RabbitMQ server that returns %i messages that were never sent', async (count, code) => {
  const many = join(...Array.from({ length: count }, (_, index) => returned(`${index}`)));
  const sent = await hear('rabbitmq', (step, honest) => (step === 'answer' ? join(many, honest) : honest));
  expect(sent.errorCode).toBe(code);
});

test.each([
  ['a greeting without an end', instead('opening', Buffer.alloc(100 * MIB, '2'))],
  ['lines without an end', instead('opening', '220-x\r\n'.repeat(5_000_000))],
  ['an answer without an end', instead('answer', Buffer.alloc(100 * MIB, '2'))],
  ['no SMTP', instead('opening', 'HTTP/1.1 400 Bad Request\r\n\r\n')],
  ['a code that there is not', instead('opened', '999 what\r\n')],
  ['nothing', instead('opened', '\r\n')],
])('a mail server that says: %s', async (_name, lie) => {
  const liar = await start('smtp', lie);
  expect((await mailTo(liar.port)).error).toBeDefined();
  expect(liar.said() / MIB).toBeLessThan(24);
});
