// SPDX-License-Identifier: Apache-2.0
import { findObstacle, makeLinkKey, nameRecipients, type EmailConfig } from './email-config.ts';
import { channelOfToken, followLink, makeLink, type LinkedChannel } from './mail-links.ts';

const ID = '6f1d1f4e-0000-4000-8000-000000000001';
const NOW = new Date('2026-06-01T00:00:00.000Z');
const later = (ms: number): Date => new Date(NOW.getTime() + ms);
const channelWith = (config: EmailConfig, more: Partial<LinkedChannel> = {}): LinkedChannel => ({
  id: ID,
  config,
  credentials: { link_key: 'a2V5' },
  ...more,
});
const both = channelWith(nameRecipients(['a@example.com', 'B@example.com'], undefined, NOW));
const tokenOf = (channel: LinkedChannel, index: number, purpose: 'confirm' | 'stop'): string =>
  makeLink('https://x', channel, {
    recipient: channel.config.recipients[index]!,
    purpose,
    nowMs: NOW.getTime(),
  }).slice('https://x/mail/'.length);
const statuses = (config: EmailConfig | undefined) => config?.recipients.map(({ status }) => status);

test('a link is for one recipient, and one use', () => {
  const token = tokenOf(both, 1, 'confirm');
  expect(channelOfToken(token)).toBe(ID);
  const followed = followLink(token, both, later(1))!;
  expect([followed.purpose, statuses(followed.config)]).toEqual(['confirm', ['pending', 'confirmed']]);
  const confirmed = channelWith(followed.config);
  expect(followLink(token, confirmed, later(2))).toBeUndefined();
  const stop = tokenOf(confirmed, 1, 'stop');
  const stopped = followLink(stop, confirmed, later(1e12))!;
  expect([stopped.purpose, statuses(stopped.config)]).toEqual(['stop', ['pending', 'stopped']]);
  for (const used of [token, stop])
    expect(followLink(used, channelWith(stopped.config), later(3))).toBeUndefined();
});

test('a link asks for three days', () => {
  const token = tokenOf(both, 0, 'confirm');
  expect(followLink(token, both, later(3 * 86_400_000))).toBeDefined();
  expect(followLink(token, both, later(3 * 86_400_000 + 1))).toBeUndefined();
});

test('one that stops does not confirm, nor the other way round', () => {
  expect(followLink(tokenOf(both, 0, 'stop'), both, NOW)).toBeUndefined();
  const { config } = followLink(tokenOf(both, 0, 'confirm'), both, NOW)!;
  expect(followLink(tokenOf(channelWith(config), 0, 'confirm'), channelWith(config), NOW)).toBeUndefined();
});

test('nothing else is a link: each byte counts, and so do the key, the channel and the time of the request', () => {
  const token = tokenOf(both, 0, 'confirm');
  const bytes = Buffer.from(token, 'base64url');
  for (let index = 0; index < bytes.length; index += 1) {
    const changed = Buffer.from(bytes);
    changed[index]! ^= 1;
    expect(followLink(changed.toString('base64url'), both, NOW)).toBeUndefined();
  }
  for (const other of [
    channelWith(both.config, { credentials: makeLinkKey() }),
    channelWith(both.config, { id: ID.replace('1', '2') }),
    channelWith(nameRecipients(['a@example.com'], undefined, later(1))),
    channelWith(nameRecipients(['c@example.com'], undefined, NOW)),
  ])
    expect(followLink(token, other, NOW)).toBeUndefined();
  for (const text of ['', 'x', `${token}=`, `${token}A`, token.slice(1), `${token.slice(0, -1)}!`])
    expect(channelOfToken(text)).toBeUndefined();
});

test('who confirmed stays so when recipients change; others are asked anew', () => {
  const { config } = followLink(tokenOf(both, 0, 'confirm'), both, NOW)!;
  const changed = nameRecipients(['A@example.com', 'b@example.com', 'c@example.com'], config, later(9));
  expect(changed.recipients.map(({ address, status }) => [address, status])).toEqual([
    ['a@example.com', 'confirmed'],
    ['b@example.com', 'pending'],
    ['c@example.com', 'pending'],
  ]);
  expect(changed.recipients.map((one) => one.requested_at === later(9).toISOString())).toEqual([
    false,
    true,
    true,
  ]);
  expect(followLink(tokenOf(both, 1, 'confirm'), channelWith(changed), later(10))).toBeUndefined();
});

test('nothing is sent before one confirmed, nor after all stopped', () => {
  expect(findObstacle(both.config)).toMatch(/^no recipient has confirmed/);
  const { config } = followLink(tokenOf(both, 0, 'confirm'), both, NOW)!;
  expect(findObstacle(config)).toBeUndefined();
  const [first] = config.recipients;
  expect(findObstacle({ recipients: [{ ...first!, status: 'stopped' }] })).toMatch(
    /^every recipient stopped/,
  );
});
