// SPDX-License-Identifier: Apache-2.0
import { waitFor } from '@chainwatch/testing';
import { ChatService, INTERIM, type ChatAnswer, type ChatRequest } from './spec-chat-service.ts';
import { giveWorlds, type World } from './spec-world.ts';

const SECRET = 'hunter2hunter2hunter2hun';
const pathOf = (hook: string): string => `/services/T1/${hook}/${SECRET}`;

/** Slack's incoming webhooks: what they take, what they refuse, and one message a second for each. */
class Slack {
  readonly hooks = new Map<string, ChatAnswer | undefined>([
    [pathOf('B1'), undefined],
    [pathOf('B2'), undefined],
    [pathOf('GONE'), { status: 404, body: 'no_service' }],
    [pathOf('DISABLED'), { status: 403, body: 'invalid_webhook' }],
    [pathOf('ARCHIVED'), { status: 410, body: 'channel_is_archived' }],
    [pathOf('PROHIBITED'), { status: 403, body: 'action_prohibited' }],
    [pathOf('REVOKED'), { status: 403, body: 'invalid_token' }],
    [pathOf('GENERAL'), { status: 403, body: 'posting_to_general_channel_denied' }],
    [pathOf('PORTAL'), { status: 200, body: `<html>${SECRET}</html>` }],
  ]);
  readonly sent: { readonly hook: string; readonly text: string; readonly atMs: number }[] = [];
  intervalMs = 0;
  refused = 0;
  readonly #lastAt = new Map<string, number>();

  answer({ method, url, type, body, atMs }: ChatRequest): ChatAnswer {
    if (!this.hooks.has(url.pathname) || method !== 'POST') return { status: 404, body: 'no_service' };
    const fixed = this.hooks.get(url.pathname);
    if (fixed !== undefined) return fixed;
    if (type !== 'application/json') return { status: 400, body: 'invalid_payload' };
    const { text, ...more } = JSON.parse(body) as { readonly text: unknown };
    if (typeof text !== 'string' || text === '') return { status: 400, body: 'no_text' };
    if (text.length > 40_000) return { status: 400, body: 'msg_too_long' };
    // What else is a mention or an entity.
    const withoutLinks = text.replaceAll(/<https:\/\/[^\s<>|]+\|[\w ]+>/g, '');
    if (/&(?!(amp|lt|gt);)|[<>]/.test(withoutLinks)) return { status: 400, body: 'invalid_payload' };
    expect(more).toEqual({ mrkdwn: true, unfurl_links: false, unfurl_media: false });
    if (atMs - (this.#lastAt.get(url.pathname) ?? 0) < this.intervalMs) {
      this.refused += 1;
      return { status: 429, headers: { 'retry-after': '1' }, body: 'rate_limited' };
    }
    this.#lastAt.set(url.pathname, atMs);
    this.sent.push({ hook: url.pathname, text, atMs });
    return { status: 200, body: 'ok' };
  }
}

let world: World;
let api: Slack;
let service: ChatService;
beforeEach(async () => {
  api = new Slack();
  service = new ChatService((request) => api.answer(request));
  await service.start();
});
afterEach(() => service.stop());
giveWorlds((given) => ({ world } = given));

const slack = (more: object = {}) => ({ kinds: { slack: { intervalMs: 1, ...more } } });
const addChannel = (hook: string, config: object = {}): Promise<string> =>
  world.addChannel('', {
    kind: 'slack',
    config: { url: `${service.url}/services/T1/${hook}/***`, ...config },
    credentials: { url: `${service.url}${pathOf(hook)}` },
  });
const channels = (): Promise<{ status: string; failure_reason: string | null }[]> =>
  world.rows('SELECT status, failure_reason FROM notification_channels');
const errorCodes = async (): Promise<unknown[]> =>
  (
    await world.rows<{ error_code: string }>(
      'SELECT DISTINCT error_code FROM delivery_attempts WHERE error_code IS NOT NULL',
    )
  ).map(({ error_code: code }) => code);

describe('a Slack channel', () => {
  test('gets a message, and nothing of the URL that writes is on record', async () => {
    await addChannel('B1');
    await world.start(slack());
    await world.waitForStatus(await world.emit({ type: 'transaction.confirmed' }), 'delivered');
    expect(api.sent.map(({ text }) => text)).toEqual([
      expect.stringMatching(
        /^\*Transaction 0x1 · eip155:31337 · detected, 1 of 12 confirmations\*\nBlock: 1\n/,
      ),
    ]);
    const recorded = JSON.stringify(await world.rows('SELECT * FROM delivery_attempts'));
    expect(recorded).toContain('/services/T1/B1/***');
    expect(recorded).not.toContain(SECRET);
  });

  test('names chain and token, and links to the payment and to an explorer', async () => {
    await addChannel('B1');
    const contract = '0x1f9840a85d5af5bf1d1762f925bdaddc4201f984';
    const gid = `eip155:31337/erc721:${contract}`;
    await world.db.query(
      `INSERT INTO blockchains (gid, family, name, short_name, image_url, is_active) VALUES ('eip155:31337', 'evm', 'local', 'local', '', true) ON CONFLICT DO NOTHING`,
    );
    await world.db.query(
      `INSERT INTO assets (gid, chain_gid, namespace, reference, type, status, symbol) VALUES ($1, 'eip155:31337', 'erc721', $2, 'nft', 'active', 'KITTY')`,
      [gid, contract],
    );
    await world.start(slack(), {
      publicUrl: 'https://watch.example.com',
      findNetwork: () => ({
        displayName: 'Anvil',
        explorer: { transaction: 'https://explorer.example.com/tx/{hash}' },
      }),
    });
    const transfer = { type: 'nft', asset_gid: gid, from: '0xa', to: '0xb', monitored_addresses: ['0xb'] };
    await world.waitForStatus(await world.emit({ transfers: [transfer] }), 'delivered');
    const lines = api.sent[0]!.text.split('\n');
    expect(lines[0]).toBe('*NFT KITTY (0x1f9840…01f984) to 0xb · Anvil · detected, 1 of 12 confirmations*');
    expect(lines.at(-1)).toMatch(
      /^<https:\/\/watch\.example\.com\/ui\/transactions\/[\w-]{36}\?project=[\w-]{36}\|View payment> · <https:\/\/explorer\.example\.com\/tx\/0x1\|View in explorer>$/,
    );
  });

  test('gets a digest when a queue builds up, in event order, each event once', async () => {
    await addChannel('B1');
    const sent: string[] = [];
    for (let count = 0; count < 40; count += 1) sent.push(await world.emit({ isPublished: false }));
    await world.start(slack({ intervalMs: 200, digestMax: 15 }));
    for (const eventId of sent) await world.waitForStatus(eventId, 'delivered');
    expect(api.sent.length).toBeLessThan(12);
    const texts = api.sent.map(({ text }) => text).join('\n');
    expect(texts.match(/Transaction 0x\d+/g)).toEqual(sent.map((_, index) => `Transaction 0x${index + 1}`));
  });

  test('is paced by the webhook, also where two channels write to it', async () => {
    await addChannel('B1');
    await addChannel('B1');
    await addChannel('B2');
    await world.start(slack({ intervalMs: 200, digestFrom: 1_000 }));
    const sent: string[] = [];
    for (let count = 0; count < 3; count += 1) sent.push(await world.emit());
    for (const eventId of sent) await world.waitForStatus(eventId, 'delivered');
    const timesOf = (hook: string): number[] =>
      api.sent.filter((one) => one.hook === pathOf(hook)).map(({ atMs }) => atMs);
    await waitFor(() => api.sent.length === 9);
    const shared = timesOf('B1');
    expect([shared.length, timesOf('B2').length]).toEqual([6, 3]);
    // Five intervals; the first message may be late by one, and a timer makes up for what it was late.
    expect(shared.at(-1)! - shared[0]!).toBeGreaterThanOrEqual(700);
  });

  test('obeys Retry-After for all channels of the webhook, and spends neither attempts nor its good name', async () => {
    api.intervalMs = 500;
    await addChannel('B1');
    await addChannel('B1');
    await world.start({ ...slack({ digestFrom: 1_000 }), scheduleMs: [0, 50] });
    const sent = [await world.emit(), await world.emit()];
    for (const eventId of sent) await world.waitForStatus(eventId, 'delivered');
    await waitFor(() => api.sent.length === 4);
    expect(api.refused).toBeGreaterThan(0);
    expect(api.refused).toBeLessThan(8);
    expect(await errorCodes()).toEqual(['rate_limited']);
    await waitFor(
      async () => (await world.rows(`SELECT 1 FROM deliveries WHERE status <> 'delivered'`)).length === 0,
    );
    expect(await world.rows('SELECT DISTINCT attempt_count FROM deliveries')).toEqual([{ attempt_count: 1 }]);
    expect(new Set((await channels()).map(({ status }) => status))).toEqual(new Set(['active']));
  });

  test.each(['GONE', 'DISABLED', 'ARCHIVED', 'REVOKED', 'NEVER'])(
    'fails at once where the webhook is %s',
    async (hook) => {
      await addChannel(hook);
      await world.start(slack());
      await world.waitForStatus(await world.emit(), 'failed');
      expect(await channels()).toEqual([
        {
          status: 'failed',
          failure_reason:
            'the service does not know the webhook any more: make a new one there, and give its URL',
        },
      ]);
    },
  );

  test('fails at once where the workspace does not let the webhook write', async () => {
    await addChannel('PROHIBITED');
    await world.start(slack());
    await world.waitForStatus(await world.emit(), 'failed');
    expect(await errorCodes()).toEqual(['webhook_forbidden']);
    expect(await channels()).toMatchObject([
      { status: 'failed', failure_reason: expect.stringContaining('does not let the webhook write') },
    ]);
  });

  test.each([
    ['sends interim responses', { interim: INTERIM }],
    ['closes kept connections as a request arrives', { closesKept: true }],
  ])('writes to a service that %s', async (_name, habit) => {
    Object.assign(service, habit);
    await addChannel('B1');
    await world.start(slack());
    for (let count = 0; count < 3; count += 1) await world.waitForStatus(await world.emit(), 'delivered');
    expect([await errorCodes(), api.sent.length]).toEqual([[], 3]);
  });

  test.each([
    ['GENERAL', 'http_error'],
    ['PORTAL', 'invalid_response'],
  ])('tries again where %s says %s', async (hook, code) => {
    await addChannel(hook);
    await world.start({ ...slack(), scheduleMs: [0, 60_000] });
    await world.emit();
    await waitFor(async () => (await errorCodes()).length === 1);
    expect(await errorCodes()).toEqual([code]);
    expect(await channels()).toEqual([{ status: 'active', failure_reason: null }]);
    expect(JSON.stringify(await world.rows('SELECT * FROM delivery_attempts'))).not.toContain(SECRET);
  });

  test('never dials a blocked address', async () => {
    await world.addChannel('', {
      kind: 'slack',
      config: { url: 'http://10.255.255.1/services/T1/B1/***' },
      credentials: { url: `http://10.255.255.1${pathOf('B1')}` },
    });
    await world.start({ ...slack(), scheduleMs: [0, 60_000] });
    await world.emit();
    await waitFor(async () => (await errorCodes()).includes('blocked_address'));
  });
});
