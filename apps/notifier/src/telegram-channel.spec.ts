// SPDX-License-Identifier: Apache-2.0
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { waitFor } from '@chainwatch/testing';
import { INTERIM } from './spec-chat-service.ts';
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
  /** A group that became another one. */
  readonly moved = new Map<number, number>();
  /** What it answers for a chat. */
  readonly refusals = new Map<number, readonly [status: number, description: string]>();
  interim = '';
  perSecond = Infinity;
  refused = 0;
  #lastAt = new Map<number, number>();
  readonly #server: Server = createServer((req, res) => {
    const chunks: Buffer[] = [];
    req.on('data', (chunk: Buffer) => chunks.push(chunk));
    req.on('end', () => {
      req.socket.write(this.interim);
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
    const movedTo = this.moved.get(chatId);
    if (movedTo !== undefined) {
      const description = 'Bad Request: group chat was upgraded to a supergroup chat';
      return [400, { error_code: 400, description, parameters: { migrate_to_chat_id: movedTo } }];
    }
    const [status, refusal] = this.refusals.get(chatId) ?? [];
    if (status !== undefined) return [status, { error_code: status, description: refusal }];
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
          '<b>Transaction 0x1 · eip155:31337 · detected, 1 of 12 confirmations</b>\nBlock: 1\n',
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
        .match(/Transaction 0x\d+/g),
    ).toEqual(sent.map((_, index) => `Transaction 0x${index + 1}`));
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
    expect(api.sent[0]!.text).toMatch(`<b>Channel w failed · telegram · ${reason}</b>`);
    expect(
      await world.rows(
        `SELECT channel_id FROM deliveries WHERE event_type = 'channel.failed' AND channel_id = $1`,
        [failed],
      ),
    ).toEqual([]);
  });

  test.each<[number, string, string]>([
    [400, 'Bad Request: not enough rights to send text messages to the chat', 'the bot may not write'],
    [400, 'Bad Request: have no rights to send a message', 'the bot may not write'],
    [400, 'Bad Request: need administrator rights in the channel chat', 'the bot may not write'],
    [400, 'Bad Request: CHAT_WRITE_FORBIDDEN', 'the bot may not write'],
    [400, 'Bad Request: CHAT_SEND_PLAIN_FORBIDDEN', 'the bot may not write'],
    [400, 'Bad Request: CHAT_RESTRICTED', 'the bot may not write'],
    [403, 'Forbidden: bot was kicked from the supergroup chat', 'the bot may not write'],
    [403, "Forbidden: bot can't initiate conversation with a user", 'the bot may not write'],
    [403, 'Forbidden: bot is not a member of the channel chat', 'the bot may not write'],
    [400, 'Bad Request: user is deactivated', 'is deactivated'],
    [403, 'Forbidden: user is deactivated', 'is deactivated'],
    [400, 'Bad Request: group chat was deactivated', 'is deactivated'],
    [403, 'Forbidden: the group chat was deleted', 'is deactivated'],
    [400, 'Bad Request: INPUT_USER_DEACTIVATED', 'is deactivated'],
    [400, 'Bad Request: TOPIC_CLOSED', 'the topic of the chat'],
    [400, 'Bad Request: TOPIC_DELETED', 'the topic of the chat'],
    [400, 'Bad Request: message thread not found', 'the topic of the chat'],
    [400, 'Bad Request: user not found', 'Telegram does not know the chat'],
    [400, 'Bad Request: PEER_ID_INVALID', 'Telegram does not know the chat'],
  ])('fails at once on %d %s', async (status, description, reason) => {
    api.refusals.set(7, [status, description]);
    await addChannel(7);
    await world.start(telegram());
    await world.waitForStatus(await world.emit(), 'failed');
    expect(await channels()).toEqual([{ status: 'failed', failure_reason: expect.stringContaining(reason) }]);
  });

  test.each([
    [400, "Bad Request: can't parse entities"],
    [400, 'Bad Request: message is too long'],
    [500, 'Internal Server Error: chat not found'],
  ])('tries again on %d %s', async (status, description) => {
    api.refusals.set(7, [status, description]);
    await addChannel(7);
    await world.start({ ...telegram(), scheduleMs: [0, 60_000] });
    await world.emit();
    await waitFor(
      async () =>
        (await world.rows(`SELECT 1 FROM delivery_attempts WHERE error_code = 'http_error'`)).length === 1,
    );
    expect(await channels()).toEqual([{ status: 'active', failure_reason: null }]);
  });

  test('follows a group that became a supergroup, at once and from then on', async () => {
    api.moved.set(-7, -100_7);
    api.chats.set(-100_7, 'open');
    const id = await addChannel(-7);
    await world.start(telegram());
    const first = await world.emit();
    await world.waitForStatus(first, 'delivered');
    const [{ config } = {}] = await world.rows<{ config: object }>(
      'SELECT config FROM notification_channels',
    );
    expect(config).toMatchObject({ chat_id: -100_7, bot_token: MASKED });
    await world.waitForStatus(await world.emit(), 'delivered');
    expect(api.sent.map(({ chatId }) => chatId)).toEqual([-100_7, -100_7]);
    expect(
      await world.rows('SELECT number, error_code, request FROM delivery_attempts ORDER BY started_at'),
    ).toMatchObject([
      { number: 1, error_code: null, request: { body: expect.stringContaining('"chat_id":-1007') } },
      { number: 1, error_code: null },
    ]);
    expect(
      await world.rows(
        'SELECT actor_type, actor_name, action, target_type, target_id, changes, request_id FROM audit_logs',
      ),
    ).toEqual([
      {
        actor_type: 'service',
        actor_name: 'notifier',
        action: 'channel.moved',
        target_type: 'channel',
        target_id: id,
        changes: { chat_id: { from: -7, to: -100_7 } },
        request_id: '',
      },
    ]);
  });

  test('follows it with a digest, and where the new group refuses the message', async () => {
    api.moved.set(-7, -100_7);
    api.refusals.set(-100_7, [403, 'Forbidden: bot was kicked from the supergroup chat']);
    await addChannel(-7);
    for (let count = 0; count < 8; count += 1) await world.emit({ isPublished: false });
    await world.start(telegram());
    await waitFor(async () => (await channels())[0]?.status === 'failed');
    expect(await channels()).toEqual([
      { status: 'failed', failure_reason: 'the bot may not write to the chat' },
    ]);
    const [{ config } = {}] = await world.rows<{ config: object }>(
      'SELECT config FROM notification_channels',
    );
    expect(config).toMatchObject({ chat_id: -100_7 });
    expect(await world.rows('SELECT action FROM audit_logs')).toEqual([{ action: 'channel.moved' }]);
  });

  test('leaves a channel alone that somebody pointed elsewhere meanwhile', async () => {
    const id = await addChannel(-7);
    api.moved.set(-7, -100_7);
    api.chats.set(-100_7, 'open');
    const isAsked = waitFor(() => api.sent.length === 1);
    await world.db.transaction(async (sql) => {
      await sql.query(`UPDATE notification_channels SET config = config || '{"chat_id": 43}' WHERE id = $1`, [
        id,
      ]);
      await world.start(telegram());
      await world.emit();
      await isAsked;
    });
    await waitFor(
      async () => (await world.rows(`SELECT 1 FROM deliveries WHERE status = 'delivered'`)).length === 1,
    );
    const [{ config } = {}] = await world.rows<{ config: object }>(
      'SELECT config FROM notification_channels',
    );
    expect(config).toMatchObject({ chat_id: 43 });
    expect(await world.rows('SELECT 1 FROM audit_logs')).toEqual([]);
  });

  test('reads past interim responses of the service', async () => {
    api.interim = INTERIM;
    await addChannel(42);
    await world.start(telegram());
    for (let count = 0; count < 2; count += 1) await world.waitForStatus(await world.emit(), 'delivered');
    expect(api.sent).toHaveLength(2);
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
