import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { waitFor } from '@chainwatch/testing';
import { giveWorlds, type World } from './spec-world.ts';

const TOKEN = '110201543:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsawx';
const MASKED = '110201543:***';

interface Sent {
  readonly chatId: number;
  readonly text: string;
  readonly atMs: number;
}

/** A fake Bot API. It knows one bot and some chats, and answers 429 above `perSecond` messages to a chat. */
class BotApi {
  readonly sent: Sent[] = [];
  readonly chats = new Map<number, 'open' | 'blocked'>([
    [42, 'open'],
    [43, 'open'],
    [-100, 'open'],
    [13, 'blocked'],
  ]);
  perSecond = Infinity;
  refused = 0;
  #lastAt = new Map<number, number>();
  readonly #server: Server = createServer((req, res) => {
    const chunks: Buffer[] = [];
    req.on('data', (chunk: Buffer) => chunks.push(chunk));
    req.on('end', () => {
      const [status, answer] = this.#answer(req.url ?? '', Buffer.concat(chunks).toString());
      res
        .writeHead(status, { 'content-type': 'application/json' })
        .end(JSON.stringify({ ok: status === 200, ...answer }));
    });
  });

  #answer(url: string, body: string): [number, object] {
    if (url !== `/bot${TOKEN}/sendMessage`) return [401, { error_code: 401, description: 'Unauthorized' }];
    const {
      chat_id: chatId,
      text,
      parse_mode: mode,
    } = JSON.parse(body) as { chat_id: number; text: string; parse_mode: string };
    const chat = this.chats.get(chatId);
    if (chat === undefined) return [400, { error_code: 400, description: 'Bad Request: chat not found' }];
    if (chat === 'blocked')
      return [403, { error_code: 403, description: 'Forbidden: bot was blocked by the user' }];
    if (mode !== 'HTML' || text === '' || text.length > 4_096)
      return [400, { error_code: 400, description: 'Bad Request: message is too long' }];
    const atMs = Date.now();
    if (atMs - (this.#lastAt.get(chatId) ?? 0) < 1_000 / this.perSecond) {
      this.refused += 1;
      return [
        429,
        { error_code: 429, description: 'Too Many Requests: retry after 1', parameters: { retry_after: 1 } },
      ];
    }
    this.#lastAt.set(chatId, atMs);
    this.sent.push({ chatId, text, atMs });
    return [200, { result: { message_id: this.sent.length } }];
  }

  async start(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}

let world: World;
let api: BotApi;
let apiUrl: string;
beforeEach(async () => {
  api = new BotApi();
  apiUrl = await api.start();
});
afterEach(() => api.stop());
giveWorlds((given) => ({ world } = given));

const telegram = (more: object = {}) => ({
  kinds: {
    telegram: { apiUrl, chatIntervalMs: 1, groupIntervalMs: 1, botIntervalMs: 1, ...more },
  },
});
const addChannel = (chatId: number, token = TOKEN): Promise<string> =>
  world.addChannel('', {
    kind: 'telegram',
    config: { chat_id: chatId, bot_token: MASKED },
    credentials: { bot_token: token },
  });
const channels = (): Promise<{ status: string; failure_reason: string | null }[]> =>
  world.rows('SELECT status, failure_reason FROM notification_channels');

describe('a Telegram channel', () => {
  test('gets a message, and nothing of the token is on record', async () => {
    await addChannel(-100);
    await world.start(telegram());
    await world.waitForStatus(await world.emit({ type: 'transaction.confirmed' }), 'delivered');
    expect(api.sent).toMatchObject([
      {
        chatId: -100,
        text: expect.stringContaining(
          '<b>Transaction confirmed</b>\nin · block 1 of <code>eip155:31337</code>',
        ),
      },
    ]);
    const recorded = JSON.stringify(await world.rows('SELECT * FROM delivery_attempts'));
    expect(recorded).toContain('/bot110201543:***/sendMessage');
    expect(recorded).not.toContain(TOKEN.slice(10));
  });

  test('gets a digest when a queue builds up, in event order, each event once', async () => {
    await addChannel(42);
    const sent: string[] = [];
    for (let count = 0; count < 40; count += 1) sent.push(await world.emit({ isPublished: false }));
    await world.start(telegram({ chatIntervalMs: 200, digestMax: 15 }));
    for (const eventId of sent) await world.waitForStatus(eventId, 'delivered');
    expect(api.sent.length).toBeLessThan(12);
    expect(
      api.sent
        .map(({ text }) => text)
        .join('\n')
        .match(/<code>0x\d+<\/code>/g),
    ).toEqual(sent.map((_, index) => `<code>0x${index + 1}</code>`));
    expect(
      await world.rows(
        'SELECT count(*)::int AS count, count(DISTINCT delivery_id)::int AS deliveries FROM delivery_attempts',
      ),
    ).toEqual([{ count: 40, deliveries: 40 }]);
  });

  test('is paced by chat and by bot', async () => {
    for (const chatId of [42, 43, -100]) await addChannel(chatId);
    await world.start(
      telegram({ chatIntervalMs: 200, groupIntervalMs: 400, botIntervalMs: 40, digestFrom: 1_000 }),
    );
    const sent: string[] = [];
    for (let count = 0; count < 4; count += 1) sent.push(await world.emit());
    for (const eventId of sent) await world.waitForStatus(eventId, 'delivered');
    const spanOf = (chatId: number): number => {
      const times = api.sent.filter((message) => message.chatId === chatId).map(({ atMs }) => atMs);
      expect(times).toHaveLength(4);
      return times.at(-1)! - times[0]!;
    };
    // Three intervals each; the first message may be late by one.
    expect(spanOf(42)).toBeGreaterThanOrEqual(400);
    expect(spanOf(-100)).toBeGreaterThanOrEqual(800);
  });

  test('obeys retry_after without spending attempts or its good name', async () => {
    api.perSecond = 2;
    await addChannel(42);
    await world.start({ ...telegram({ digestFrom: 1_000 }), scheduleMs: [0, 50] });
    const sent = [await world.emit(), await world.emit(), await world.emit()];
    for (const eventId of sent) await world.waitForStatus(eventId, 'delivered');
    expect(api.refused).toBeGreaterThan(0);
    expect(api.refused).toBeLessThan(6);
    expect(await channels()).toEqual([{ status: 'active', failure_reason: null }]);
    expect(await world.rows('SELECT DISTINCT attempt_count FROM deliveries')).toEqual([{ attempt_count: 1 }]);
    expect(
      await world.rows(`SELECT DISTINCT error_code FROM delivery_attempts WHERE error_code IS NOT NULL`),
    ).toEqual([{ error_code: 'rate_limited' }]);
  });

  test.each<[string, number, string]>([
    ['403', 13, 'the bot may not write to the chat'],
    ['an unknown chat', 99, 'Telegram does not know the chat'],
  ])('fails at once on %s, and tells the other channels', async (_name, chatId, reason) => {
    const failed = await addChannel(chatId);
    await world.addChannel('', {
      kind: 'telegram',
      config: { chat_id: 42, bot_token: MASKED, event_types: ['channel.failed'] },
      credentials: { bot_token: TOKEN },
    });
    await world.start(telegram());
    await world.waitForStatus(await world.emit(), 'failed');
    expect((await channels()).find(({ status }) => status === 'failed')).toMatchObject({
      failure_reason: reason,
    });
    await world.waitForStatus(await world.emit(), 'held');
    await waitFor(() => api.sent.length === 1);
    expect(api.sent[0]!.text).toBe(`<b>Notification channel failed</b>\nw (telegram)\n${reason}`);
    expect(
      await world.rows(
        `SELECT channel_id FROM deliveries WHERE event_type = 'channel.failed' AND channel_id = $1`,
        [failed],
      ),
    ).toEqual([]);
  });

  test('does not fail at once for a bot token that is refused', async () => {
    await addChannel(42, `${TOKEN.slice(0, -1)}y`);
    await world.start({ ...telegram(), scheduleMs: [0, 60_000] });
    await world.emit();
    await waitFor(
      async () =>
        (
          await world.rows(
            `SELECT 1 FROM delivery_attempts WHERE error_code = 'authentication_failed' AND status_code = 401`,
          )
        ).length === 1,
    );
    expect(await channels()).toEqual([{ status: 'active', failure_reason: null }]);
  });
});
