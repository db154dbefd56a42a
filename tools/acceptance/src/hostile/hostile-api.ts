// SPDX-License-Identifier: Apache-2.0
import type { Project } from '../project.ts';
import type { Random } from '../random.ts';

/** Texts as JSON escapes them: what is no text at all among them. */
const TEXTS = [
  '',
  ' ',
  'Treasury',
  'a\u0000b',
  '\u0000',
  '\ud800',
  'a\udfffb\ud83d',
  '\u202eevil\u202c',
  '\ufeff\u200b\u2060',
  "'; DROP TABLE addresses; --",
  '=cmd|" /C calc"!A0',
  '<img src=x onerror=alert(1)>',
  '👩‍👩‍👧‍👦'.repeat(50),
  'x'.repeat(1_000_000),
  '\\u0000',
  '%00%0a',
  '{"$gt": ""}',
  '__proto__',
] as const;

/** Members of bodies that take a text of the customer's. */
const PLACES: readonly ((text: string, address: string, url: string) => readonly [string, string, object])[] =
  [
    (text, address) => ['PATCH', `/addresses/${address}`, { label: text }],
    (text, address) => ['PATCH', `/addresses/${address}`, { metadata: { order: text } }],
    (text, address) => ['PATCH', `/addresses/${address}`, { metadata: { [text]: 'x' } }],
    (text, address) => ['PATCH', `/addresses/${address}`, { groups: [text] }],
    (text, _, url) => ['POST', '/notification_channels/webhook', { name: text, url }],
    (text, _, url) => ['POST', '/notification_channels/webhook', { name: 'n', url: `${url}?${text}` }],
    (text, _, url) => [
      'POST',
      '/notification_channels/webhook',
      { name: 'n', url, filters: { metadata: { [text]: ['x'] } } },
    ],
    (text, _, url) => [
      'POST',
      '/notification_channels/webhook',
      { name: 'n', url, filters: { metadata: { order: [text] } } },
    ],
    (text, _, url) => [
      'POST',
      '/notification_channels/webhook',
      { name: 'n', url, filters: { groups: [text] } },
    ],
    (text, _, url) => [
      'POST',
      '/notification_channels/webhook',
      { name: 'n', url, filters: { asset_gids: [text] } },
    ],
    (text, _, url) => [
      'POST',
      '/notification_channels/webhook',
      { name: 'n', url, filters: { addresses: [text] } },
    ],
    (text, _, url) => [
      'POST',
      '/notification_channels/webhook',
      { name: 'n', url, filters: { min_amount: text } },
    ],
    (text) => ['POST', '/addresses/external', { value: text, chain_family: 'evm' }],
  ];

interface Problem {
  readonly fields?: readonly { readonly name: string }[];
  readonly detail?: string;
}

/** One request with a text that is as bad as can be. Returns what is wrong with the answer, in words. */
export async function sendHostileText(
  project: Project,
  random: Random,
  { address, url }: { readonly address: string; readonly url: string },
): Promise<string | undefined> {
  const text = random.pick(TEXTS);
  const [method, path, body] = random.pick(PLACES)(text, address, url);
  // `request` throws what is 500 or more, after it has come again for a minute.
  const answer = await project.request(method, path, body).catch((error: Error) => error);
  if (answer instanceof Error)
    return `${method} ${path} ${JSON.stringify(body).slice(0, 200)}: ${answer.message}`;
  const { status } = answer;
  if (status < 300 || status === 409 || status === 413) return undefined;
  const { fields = [] } = answer.body as Problem;
  return (status === 400 || status === 422) && fields.length > 0
    ? undefined
    : `${method} ${path} ${JSON.stringify(body).slice(0, 200)}: expected an answer that names the field, got ${status} ${JSON.stringify(answer.body).slice(0, 300)}`;
}
