// SPDX-License-Identifier: Apache-2.0
import { startMailServer, waitFor, type MailServerHandle } from '@chainwatch/testing';
import { giveWorlds, type World } from './spec-world.ts';

const KEY = 'c2VjcmV0LWtleQ==';

let world: World;
let server: MailServerHandle;
beforeEach(async () => {
  server = await startMailServer();
});
afterEach(() => server.stop());
giveWorlds((given) => ({ world } = given));

const email = (more: object = {}, port = server.port) => ({
  kinds: {
    email: {
      intervalMs: 1,
      server: {
        url: `smtp://127.0.0.1:${port}`,
        from: 'Alerts <alerts@example.com>',
        publicUrl: 'https://watch.example.com',
        isEncrypted: false,
      },
      ...more,
    },
  },
});
const addChannel = (
  recipients: Readonly<Record<string, 'pending' | 'confirmed' | 'stopped'>>,
  config: object = {},
): Promise<string> =>
  world.addChannel('', {
    kind: 'email',
    config: {
      recipients: Object.entries(recipients).map(([address, status]) => ({
        address,
        status,
        requested_at: '2026-01-01T00:00:00.000Z',
        answered_at: null,
      })),
      ...config,
    },
    credentials: { link_key: KEY },
  });
const attempts = (): Promise<Record<string, unknown>[]> =>
  world.rows('SELECT * FROM delivery_attempts ORDER BY started_at');
const channels = (): Promise<object[]> =>
  world.rows('SELECT status, failure_reason, consecutive_failures FROM notification_channels');

describe('an e-mail channel', () => {
  test('mails each who confirmed, nobody else, with a link that stops them', async () => {
    await addChannel({
      'a@example.com': 'confirmed',
      'b@example.com': 'pending',
      'c@example.com': 'stopped',
      'd@example.com': 'confirmed',
    });
    await world.start(email());
    await world.waitForStatus(await world.emit({ type: 'transaction.confirmed' }), 'delivered');
    expect(server.mails.map(({ to }) => to).sort()).toEqual([['a@example.com'], ['d@example.com']]);
    const [mail, other] = server.mails;
    expect(mail!.headers).toMatchObject({
      from: 'Alerts <alerts@example.com>',
      to: mail!.to[0],
      subject: 'Transaction 0x1 – detected',
      'auto-submitted': 'auto-generated',
      'list-unsubscribe-post': 'List-Unsubscribe=One-Click',
    });
    const link = /^<(https:\/\/watch\.example\.com\/mail\/[\w-]{71})>$/.exec(
      mail!.headers['list-unsubscribe']!,
    )?.[1];
    expect(mail!.text).toContain(`Stop these mails: ${link}`);
    expect(mail!.text).toMatch(
      /^Transaction 0x1 · eip155:31337 · detected, 1 of 12 confirmations\nBlock: 1\n/,
    );
    expect(other!.headers['list-unsubscribe']).not.toBe(mail!.headers['list-unsubscribe']);
    const [attempt] = await attempts();
    expect(attempt).toMatchObject({
      error_code: null,
      request: { method: 'MAIL', url: 'mailto:a@example.com,d@example.com' },
    });
    expect(JSON.stringify(attempt)).not.toMatch(/\/mail\/|c2VjcmV0/);
  });

  test('mails about one payment are one conversation, each for its recipient', async () => {
    await addChannel({ 'a@example.com': 'confirmed', 'b@example.com': 'confirmed' });
    await world.start(email());
    const transactionId = '6f1d1f4e-0000-4000-8000-000000000001';
    const confirmed = { type: 'transaction.confirmed', transactionId } as const;
    await world.waitForStatus(await world.emit({ transactionId }), 'delivered');
    await world.waitForStatus(await world.emit(confirmed), 'delivered');
    await world.waitForStatus(await world.emit(), 'delivered');
    const threadsOf = (recipient: string): unknown[] =>
      server.mails
        .filter(({ to }) => to[0] === recipient)
        .map(({ headers }) => [headers['references'], headers['in-reply-to']]);
    const [first, second, other] = threadsOf('a@example.com');
    expect(first).toEqual([expect.stringMatching(/^<[0-9a-f]{64}@example\.com>$/), (first as string[])[0]]);
    expect(second).toEqual(first);
    expect(other).not.toEqual(first);
    expect(threadsOf('b@example.com')).not.toContainEqual(first);
    // Some servers drop a mail with an id that they have seen.
    expect(new Set(server.mails.map(({ headers }) => headers['message-id'])).size).toBe(6);
  });

  test('gathers what comes meanwhile into one mail, in event order, each event once', async () => {
    await addChannel({ 'a@example.com': 'confirmed' });
    const sent: string[] = [];
    for (let count = 0; count < 40; count += 1) sent.push(await world.emit({ isPublished: false }));
    await world.start(email({ intervalMs: 200, digestMax: 15 }));
    for (const eventId of sent) await world.waitForStatus(eventId, 'delivered');
    expect(server.mails.length).toBeLessThan(12);
    const texts = server.mails.map(({ text }) => text).join('\n');
    expect(texts.match(/(?<=Transaction 0x)\d+(?= ·)/g)?.map(Number)).toEqual(
      sent.map((_, index) => index + 1),
    );
  });

  test('writes no header that an event brought', async () => {
    const name = 'x\r\nBcc: victim@example.com\r\n\r\nbody';
    await addChannel({ 'a@example.com': 'confirmed' }, { event_types: [name] });
    await world.start(email());
    // A message cannot carry such a type in its header.
    const event = await world.insertEvent({ type: name as 'transaction.detected' });
    await world.publish({ ...event, type: 'transaction.detected' });
    await waitFor(() => server.mails.length === 1);
    expect(server.mails[0]!.to).toEqual(['a@example.com']);
    expect(server.mails[0]!.headers).toMatchObject({ subject: 'x Bcc: victim@example.com body' });
    expect(server.mails[0]!.head).not.toMatch(/^bcc:/im);
  });

  test.each([
    ['refused for good', 550, 'recipients_refused', 'failed'],
    ['put off', 451, 'deferred', 'active'],
  ])('%s: %i', async (_name, code, errorCode, status) => {
    server.refused.set('a@example.com', code);
    await addChannel({ 'a@example.com': 'confirmed' });
    await world.start({ ...email(), scheduleMs: [0, 60_000] });
    await world.emit();
    await waitFor(async () => (await attempts()).length === 1);
    expect(await attempts()).toMatchObject([{ error_code: errorCode }]);
    expect(await channels()).toMatchObject([{ status }]);
  });

  test('one who is refused does not keep the others from their mails', async () => {
    server.refused.set('a@example.com', 550);
    await addChannel({ 'a@example.com': 'confirmed', 'b@example.com': 'confirmed' });
    await world.start(email());
    await world.waitForStatus(await world.emit(), 'delivered');
    expect(server.mails.map(({ to }) => to)).toEqual([['b@example.com']]);
    expect((await attempts())[0]!['response_body']).toContain('a@example.com: 550');
  });

  test('one who is put off does not make the others get their mail twice', async () => {
    server.refused.set('a@example.com', 451);
    await addChannel({ 'a@example.com': 'confirmed', 'b@example.com': 'confirmed' });
    await world.start({ ...email(), scheduleMs: [0, 200, 200, 200, 200] });
    const eventId = await world.emit();
    await waitFor(async () => (await attempts()).length === 2);
    server.refused.clear();
    await world.waitForStatus(eventId, 'delivered');
    expect(server.mails.map(({ to }) => to[0])).toEqual(['b@example.com', 'a@example.com']);
  });

  test('a mail server that is away costs neither attempts nor the channel its good name', async () => {
    const { port } = server;
    await server.stop();
    await addChannel({ 'a@example.com': 'confirmed' });
    await world.start({ ...email({}, port), scheduleMs: [0, 50] });
    const eventId = await world.emit();
    await waitFor(async () => (await attempts()).length === 1);
    expect(await attempts()).toMatchObject([
      {
        error_code: 'internal_error',
        response_body: 'a@example.com: the mail server could not be used: ESOCKET',
      },
    ]);
    expect(await channels()).toEqual([{ status: 'active', failure_reason: null, consecutive_failures: 0 }]);
    server = await startMailServer({ port });
    await world.db.query('UPDATE deliveries SET next_attempt_at = now()');
    await world.waitForStatus(eventId, 'delivered');
  });

  test('without a mail server, or with nobody who confirmed, nothing is sent', async () => {
    await addChannel({ 'a@example.com': 'pending' });
    await world.start(email());
    await world.waitForStatus(await world.emit(), 'failed');
    expect(await channels()).toMatchObject([
      { status: 'failed', failure_reason: 'no recipient has confirmed, or all of them stopped the mails' },
    ]);
    expect(server.mails).toEqual([]);
  });
});
