// SPDX-License-Identifier: Apache-2.0
import { waitFor } from '@chainwatch/testing';
import { ChatService, INTERIM, type ChatAnswer, type ChatRequest } from './spec-chat-service.ts';
import { giveWorlds, type World } from './spec-world.ts';

const TOKEN = 'hunter2-hunter2-hunter2_hunter2';
const ID = '223704706495545344';

interface Embed {
  readonly description?: string;
}

const json = (status: number, body: object, headers: Readonly<Record<string, string>> = {}): ChatAnswer => ({
  status,
  headers: { 'content-type': 'application/json', ...headers },
  body: JSON.stringify(body),
});

/** Discord's webhooks: what they take, what they refuse, and their bucket of requests. */
class Discord {
  readonly sent: { readonly text: string; readonly atMs: number }[] = [];
  refused = 0;
  /** Requests in `windowMs`. */
  bucket = { size: 5, windowMs: 2_000 };
  /** Whether a good answer says that the bucket is empty. */
  tellsRest = true;
  /** The answer to each request. */
  refusal: ChatAnswer | undefined;
  #begun: number[] = [];

  answer({ method, url, type, body, atMs }: ChatRequest): ChatAnswer {
    const [, id, token] = /^\/api\/webhooks\/(\d+)\/([\w-]+)$/.exec(url.pathname) ?? [];
    if (method !== 'POST' || id !== ID) return json(404, { message: 'Unknown Webhook', code: 10015 });
    if (token !== TOKEN) return json(401, { message: 'Invalid Webhook Token', code: 50027 });
    if (this.refusal !== undefined) return this.refusal;
    const { size, windowMs } = this.bucket;
    this.#begun = this.#begun.filter((at) => atMs - at < windowMs);
    const resetAfter = ((this.#begun[0] ?? atMs) + windowMs - atMs) / 1_000;
    if (this.#begun.length >= size) {
      this.refused += 1;
      const retryAfter = { message: 'You are being rate limited.', retry_after: resetAfter, global: false };
      return json(429, retryAfter, { 'retry-after': String(Math.ceil(resetAfter)) });
    }
    this.#begun.push(atMs);
    const refusal = this.#refuse(type, url, body);
    if (refusal !== undefined) return json(400, { message: refusal, code: 50035 });
    const [{ description = '' } = {}] = (JSON.parse(body) as { embeds: Embed[] }).embeds;
    this.sent.push({ text: description, atMs });
    return json(200, { id: String(this.sent.length), webhook_id: ID }, this.#rest(size, resetAfter));
  }

  /** Lengths of an embed, and mentions that would ring. */
  #refuse(type: string | undefined, url: URL, body: string): string | undefined {
    if (type !== 'application/json') return 'expected JSON';
    if (url.searchParams.get('wait') !== 'true') return 'expected wait';
    const { embeds, content, allowed_mentions: mentions } = JSON.parse(body) as Record<string, unknown>;
    if (!Array.isArray(embeds) || embeds.length === 0 || embeds.length > 10) return 'BASE_TYPE_BAD_LENGTH';
    const lengths = (embeds as Embed[]).map(({ description = '' }) => description.length);
    if (lengths.some((length) => length === 0 || length > 4_096)) return 'BASE_TYPE_BAD_LENGTH';
    if (lengths.reduce((sum, length) => sum + length, 0) > 6_000) return 'MAX_EMBED_SIZE_EXCEEDED';
    if (content !== undefined || JSON.stringify(mentions) !== '{"parse":[]}') return 'expected no mentions';
    return undefined;
  }

  #rest(size: number, resetAfter: number): Readonly<Record<string, string>> {
    if (!this.tellsRest) return {};
    return {
      'x-ratelimit-limit': String(size),
      'x-ratelimit-remaining': String(size - this.#begun.length),
      'x-ratelimit-reset-after': String(resetAfter),
    };
  }
}

let world: World;
let api: Discord;
let service: ChatService;
beforeEach(async () => {
  api = new Discord();
  service = new ChatService((request) => api.answer(request));
  await service.start();
});
afterEach(() => service.stop());
giveWorlds((given) => ({ world } = given));

const discord = (more: object = {}) => ({ kinds: { discord: { intervalMs: 1, ...more } } });
const addChannel = (id = ID, token = TOKEN): Promise<string> =>
  world.addChannel('', {
    kind: 'discord',
    config: { url: `${service.url}/api/webhooks/${id}/***` },
    credentials: { url: `${service.url}/api/webhooks/${id}/${token}` },
  });
const attempts = (): Promise<{ error_code: string | null }[]> =>
  world.rows('SELECT * FROM delivery_attempts ORDER BY started_at');
const emitAll = async (count: number): Promise<string[]> => {
  const sent: string[] = [];
  for (let index = 0; index < count; index += 1) sent.push(await world.emit());
  return sent;
};

describe('a Discord channel', () => {
  test('gets an embed that rings nobody, and nothing of the token is on record', async () => {
    await addChannel();
    await world.start(discord());
    await world.waitForStatus(await world.emit({ type: 'transaction.confirmed' }), 'delivered');
    expect(api.sent.map(({ text }) => text)).toEqual([
      expect.stringMatching(
        /^\*\*Transaction 0x1 · eip155\\:31337 · detected, 1 of 12 confirmations\*\*\nBlock\\: 1\n/,
      ),
    ]);
    const recorded = JSON.stringify(await attempts());
    expect(recorded).toContain(`/api/webhooks/${ID}/***?wait=true`);
    expect(recorded).not.toContain(TOKEN);
  });

  test('gets a digest when a queue builds up, in event order, each event once', async () => {
    await addChannel();
    const sent: string[] = [];
    for (let count = 0; count < 40; count += 1) sent.push(await world.emit({ isPublished: false }));
    await world.start(discord({ intervalMs: 100, digestMax: 15 }));
    for (const eventId of sent) await world.waitForStatus(eventId, 'delivered');
    const texts = api.sent.map(({ text }) => text).join('\n');
    expect(texts.match(/Transaction 0x\d+/g)).toEqual(sent.map((_, index) => `Transaction 0x${index + 1}`));
    expect(api.refused).toBe(0);
  });

  test('waits when an answer says that its requests are used up, and is refused none', async () => {
    api.bucket = { size: 2, windowMs: 400 };
    await addChannel();
    await addChannel();
    await world.start(discord({ digestFrom: 1_000, intervalMs: 40 }));
    for (const eventId of await emitAll(4)) await world.waitForStatus(eventId, 'delivered');
    await waitFor(() => api.sent.length === 8);
    expect(api.sent.at(-1)!.atMs - api.sent[0]!.atMs).toBeGreaterThanOrEqual(1_200);
    // Two channels begin at once: a request may be on its way when the answer comes.
    expect(api.refused).toBeLessThanOrEqual(3);
  });

  test('obeys retry_after, to the fraction of a second, and spends neither attempts nor its good name', async () => {
    api.bucket = { size: 1, windowMs: 400 };
    api.tellsRest = false;
    await addChannel();
    await world.start({ ...discord({ digestFrom: 1_000 }), scheduleMs: [0, 50] });
    for (const eventId of await emitAll(3)) await world.waitForStatus(eventId, 'delivered');
    expect(api.refused).toBeGreaterThan(0);
    expect(api.refused).toBeLessThan(8);
    expect(new Set((await attempts()).map(({ error_code: code }) => code))).toEqual(
      new Set([null, 'rate_limited']),
    );
    expect(await world.rows('SELECT DISTINCT attempt_count FROM deliveries')).toEqual([{ attempt_count: 1 }]);
    expect(await world.rows('SELECT status FROM notification_channels')).toEqual([{ status: 'active' }]);
  });

  test.each([
    [403, 50_013, 'Missing Permissions'],
    [400, 50_083, 'Thread is archived'],
    [400, 220_001, 'Webhooks posted to forum channels must have a thread_name or thread_id'],
  ])('fails at once where the channel refuses it with %d and code %d', async (status, code, message) => {
    api.refusal = json(status, { message, code });
    await addChannel();
    await world.start(discord());
    await world.waitForStatus(await world.emit(), 'failed');
    expect((await attempts()).map(({ error_code: one }) => one)).toEqual(['webhook_forbidden']);
    expect(await world.rows('SELECT status FROM notification_channels')).toEqual([{ status: 'failed' }]);
  });

  test.each([
    ['sends interim responses', { interim: INTERIM }],
    ['closes kept connections as a request arrives', { closesKept: true }],
  ])('writes to a service that %s', async (_name, habit) => {
    Object.assign(service, habit);
    await addChannel();
    await world.start(discord());
    for (const eventId of await emitAll(1)) await world.waitForStatus(eventId, 'delivered');
    for (const eventId of await emitAll(1)) await world.waitForStatus(eventId, 'delivered');
    expect((await attempts()).map(({ error_code: code }) => code)).toEqual([null, null]);
  });

  test.each([
    ['was deleted', '99999', TOKEN],
    ['has another token', ID, 'other-token'],
  ])('fails at once where the webhook %s', async (_name, id, token) => {
    await addChannel(id, token);
    await world.start(discord());
    await world.waitForStatus(await world.emit(), 'failed');
    expect(await world.rows('SELECT status, failure_reason FROM notification_channels')).toEqual([
      {
        status: 'failed',
        failure_reason:
          'the service does not know the webhook any more: make a new one there, and give its URL',
      },
    ]);
  });
});
