// SPDX-License-Identifier: Apache-2.0
import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Sha256 } from '@aws-crypto/sha256-js';
import { SignatureV4 } from '@smithy/signature-v4';
import { waitFor } from '@chainwatch/testing';
import { giveWorlds, type World } from './spec-world.ts';

const KEY = { access_key_id: 'AKIAIOSFODNN7EXAMPLE', secret_access_key: 'wJalrXUtnFEMI/K7MDENG/EXAMPLEKEY' };
const REGION = 'eu-central-1';

interface Message {
  readonly MessageBody: string;
  readonly MessageGroupId?: string;
  readonly MessageDeduplicationId?: string;
  readonly MessageAttributes: Readonly<Record<string, { readonly StringValue: string }>>;
}

/** #x9 | #xA | #xD | #x20 to #xD7FF | #xE000 to #xFFFD | #x10000 to #x10FFFF, as the reference of SendMessage has it. */
const REFUSED = /[^\t\n\r\x20-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/u;

/** A stand-in for SQS: it judges signatures with AWS's own signer, which is not the one that the service uses. */
class Queue {
  readonly messages: Message[] = [];
  #underWay = 0;
  /** Requests at the same time, at most. */
  underWayMax = 0;
  /** What it answers instead of taking the message. */
  refusal: { readonly status: number; readonly type: string } | undefined;
  /** What it says of the body that it took. */
  md5Of = (body: string): string => createHash('md5').update(body).digest('hex');
  readonly #server: Server = createServer((request, response) => {
    this.#underWay += 1;
    this.underWayMax = Math.max(this.underWayMax, this.#underWay);
    void this.#answer(request).then(({ status, body }) => {
      this.#underWay -= 1;
      response.writeHead(status, { 'content-type': 'application/x-amz-json-1.0' });
      response.end(JSON.stringify(body));
    });
  });

  async start(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #answer(request: IncomingMessage): Promise<{ status: number; body: object }> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const text = Buffer.concat(chunks).toString('utf8');
    if (!(await isSigned(request, text))) return refuse(403, 'SignatureDoesNotMatch');
    if (this.refusal !== undefined) return refuse(this.refusal.status, this.refusal.type);
    expect(request.headers['x-amz-target']).toBe('AmazonSQS.SendMessage');
    const message = JSON.parse(text) as Message;
    if (REFUSED.test(message.MessageBody)) return refuse(400, 'InvalidMessageContents');
    this.messages.push(message);
    return { status: 200, body: { MessageId: 'm', MD5OfMessageBody: this.md5Of(message.MessageBody) } };
  }
}

const refuse = (status: number, type: string) => ({
  status,
  body: { __type: `com.amazonaws.sqs#${type}`, message: 'no' },
});

async function isSigned(request: IncomingMessage, body: string): Promise<boolean> {
  const given = String(request.headers.authorization);
  const names = /SignedHeaders=([^,]+)/.exec(given)?.[1]?.split(';') ?? [];
  expect(names).toEqual(expect.arrayContaining(['host', 'x-amz-date', 'x-amz-target']));
  const at = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/.exec(String(request.headers['x-amz-date']))!;
  const signer = new SignatureV4({
    service: 'sqs',
    region: REGION,
    credentials: { accessKeyId: KEY.access_key_id, secretAccessKey: KEY.secret_access_key },
    sha256: Sha256,
    applyChecksum: false,
  });
  const [hostname, port] = String(request.headers.host).split(':');
  const headers = Object.fromEntries(
    names.filter((name) => name !== 'x-amz-date').map((name) => [name, String(request.headers[name])]),
  );
  const signed = await signer.sign(
    {
      method: request.method!,
      protocol: 'http:',
      hostname: hostname!,
      port: Number(port),
      path: request.url!,
      headers,
      body,
    },
    { signingDate: new Date(`${at[1]}-${at[2]}-${at[3]}T${at[4]}:${at[5]}:${at[6]}Z`) },
  );
  const signatureOf = (text: string): string | undefined => /Signature=([0-9a-f]{64})/.exec(text)?.[1];
  return signatureOf(given) === signatureOf(String(signed.headers.authorization));
}

let world: World;
let queue: Queue;
let origin: string;
giveWorlds((given) => ({ world } = given));
beforeEach(async () => {
  queue = new Queue();
  origin = await queue.start();
});
afterEach(() => queue.stop());

const addChannel = (name: string, auth = KEY): Promise<string> =>
  world.addChannel('', {
    kind: 'sqs',
    config: {
      queue_url: `${origin}/123456789012/${name}`,
      region: REGION,
      auth: { access_key_id: auth.access_key_id },
    },
    credentials: { auth },
  });
const attempts = (): Promise<Record<string, unknown>[]> =>
  world.rows('SELECT error_code, status_code, request FROM delivery_attempts ORDER BY started_at');

describe('an SQS channel (against a stand-in)', () => {
  test('sends the exact bytes, signed so that the signer of AWS agrees, and shows no secret', async () => {
    await addChannel('payments');
    await world.start();
    const eventId = await world.emit();
    await world.waitForStatus(eventId, 'delivered');
    const [event] = await world.rows<{ payload: string }>('SELECT payload FROM event_log');
    const [message] = queue.messages;
    expect(message).toMatchObject({
      QueueUrl: `${origin}/123456789012/payments`,
      MessageBody: event!.payload,
      MessageAttributes: { 'X-Webhook-Event-Id': { DataType: 'String', StringValue: eventId } },
    });
    expect(message).not.toHaveProperty('MessageGroupId');
    const shown = JSON.stringify(await attempts());
    expect(shown).not.toContain(KEY.secret_access_key);
    expect(shown).not.toContain('Signature=');
  });

  test('escapes what SQS does not take, and says the same', async () => {
    await addChannel('payments');
    await world.start({ scheduleMs: [0, 60_000] });
    const memo = 'a\uFFFE\uFFFFb\u{1FFFE}\u{10FFFF}\t\u0085ü';
    const eventId = await world.emit({ transaction: { memo } });
    await world.waitForStatus(eventId, 'delivered');
    const [event] = await world.rows<{ payload: string }>('SELECT payload FROM event_log');
    const [{ MessageBody: body }] = queue.messages as [Message];
    expect(event!.payload).toContain('\uFFFE');
    expect(body).toContain('a\\ufffe\\uffffb\u{1FFFE}\u{10FFFF}');
    expect(JSON.parse(body)).toEqual(JSON.parse(event!.payload));
  });

  test('names the address as the group of a FIFO queue, and the event as what is dropped when it comes twice', async () => {
    await addChannel('payments.fifo');
    await world.start({ scheduleMs: [0, 50] });
    const long = 'x'.repeat(200);
    const sent = [
      await world.emit({ addresses: [{ address: 'a' }] }),
      await world.emit({ addresses: [{ address: long }] }),
    ];
    for (const eventId of sent) await world.waitForStatus(eventId, 'delivered');
    const byId = new Map(queue.messages.map((message) => [message.MessageDeduplicationId, message]));
    expect(byId.get(sent[0])!.MessageGroupId).toBe('a');
    expect(byId.get(sent[1])!.MessageGroupId).toBe(createHash('sha256').update(long).digest('hex'));
  });

  test('has one request at a time for a FIFO queue, so that none of an address overtakes another', async () => {
    await addChannel('payments.fifo');
    const sent: string[] = [];
    for (let count = 0; count < 40; count += 1)
      sent.push(await world.emit({ addresses: [{ address: 'a' }] }));
    await world.start();
    for (const eventId of sent) await world.waitForStatus(eventId, 'delivered');
    expect(queue.underWayMax).toBe(1);
    expect(queue.messages.map((message) => message.MessageDeduplicationId)).toEqual(sent);
  });

  test.each([
    ['authentication_failed', 403, 'InvalidClientTokenId'],
    ['permission_denied', 403, 'AccessDeniedException'],
    ['http_error', 400, 'QueueDoesNotExist'],
    ['http_error', 503, 'ServiceUnavailable'],
  ])('records %s for status %i with %s', async (code, status, type) => {
    queue.refusal = { status, type };
    await addChannel('payments');
    await world.start({ scheduleMs: [0, 60_000] });
    await world.emit();
    await waitFor(async () => (await attempts()).length === 1);
    expect((await attempts())[0]).toMatchObject({ error_code: code, status_code: status });
  });

  test('does not take an answer about other bytes for an acknowledgement', async () => {
    queue.md5Of = () => createHash('md5').update('other').digest('hex');
    await addChannel('payments');
    await world.start({ scheduleMs: [0, 60_000] });
    await world.emit();
    await waitFor(async () => (await attempts()).length === 1);
    expect((await attempts())[0]).toMatchObject({ error_code: 'not_acknowledged' });
  });

  test('is refused with another secret', async () => {
    await addChannel('payments', { ...KEY, secret_access_key: 'another-secret-access-key' });
    await world.start({ scheduleMs: [0, 60_000] });
    await world.emit();
    await waitFor(async () => (await attempts()).length === 1);
    expect((await attempts())[0]).toMatchObject({ error_code: 'authentication_failed', status_code: 403 });
    expect(queue.messages).toEqual([]);
  });
});
