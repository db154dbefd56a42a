// SPDX-License-Identifier: Apache-2.0
import type { Channel } from '../../../api/queries.ts';
import { changesOf, draftOf, newDraft } from './channel-draft.ts';
import { draftFilters, filtersOf } from './filter-draft.ts';

const STORED = {
  kind: 'webhook',
  name: 'Orders',
  config: {
    url: 'https://a.example.com/',
    event_types: ['transaction.confirmed'],
    filters: {
      groups: ['shop-7', 'shop-8'],
      metadata: { shop: 7, vip: true },
      min_amount: '0.5',
      newer_filter: { deep: [1] },
    },
    headers: { 'X-Team': 'pay:ments' },
    auth: { type: 'bearer' },
    standard_webhooks: true,
    throttle_per_second: 10,
    include_proof: 'link',
    format: 'cloudevents',
    fields: ['data.transaction.hash', 'data.addresses.label'],
    ordering: 'strict',
    ordering_key: 'address',
    sandbox: true,
    include_historical: true,
  },
} as unknown as Channel;

it('changes nothing of a channel that nobody touched', () => {
  const draft = draftOf(STORED);
  expect(changesOf('webhook', draft, draftOf(STORED))).toEqual({});
});

it('sends what is changed, and clears what is emptied', () => {
  const before = draftOf(STORED);
  const draft = {
    ...before,
    texts: { url: 'https://b.example.com/' },
    headers: '',
    perSecond: '',
    fields: '',
    ordering: 'best_effort',
    isSandbox: false,
    filters: { ...before.filters, groups: '', metadata: '' },
  } as const;
  expect(changesOf('webhook', draft, before)).toEqual({
    url: 'https://b.example.com/',
    headers: {},
    throttle_per_second: null,
    fields: null,
    ordering: 'best_effort',
    ordering_key: 'channel',
    sandbox: false,
    filters: { min_amount: '0.5', newer_filter: { deep: [1] } },
  });
});

it('keeps stored credentials until others are written', () => {
  const before = draftOf(STORED);
  const write = (type: string, values: Record<string, string>) =>
    changesOf('webhook', { ...before, auth: { type, values } }, before);
  expect(write('keep', {})).toEqual({});
  expect(write('none', {})).toEqual({ auth: { type: 'none' } });
  expect(write('basic', { username: 'ada', password: 'p:w' })).toEqual({
    auth: { type: 'basic', username: 'ada', password: 'p:w' },
  });
});

it('makes a channel of what differs from a new one', () => {
  const before = newDraft('webhook');
  const draft = { ...before, name: ' Orders ', texts: { url: 'https://a.example.com/' } };
  expect(changesOf('webhook', draft, before)).toEqual({ name: 'Orders', url: 'https://a.example.com/' });
});

it('has members of its kind alone', () => {
  const before = newDraft('telegram');
  const draft = { ...before, texts: { chat_id: '-5' }, headers: 'X-Team: a', perSecond: '3', proof: 'link' };
  expect(changesOf('telegram', draft, before)).toEqual({ chat_id: -5 });
});

it.each([
  [{}],
  [{ chain_gids: ['eip155:1'], direction: 'in', memo: 'order 1' }],
  [{ metadata: { a: 'b=c' }, reasons: ['mint'], expression: 'true' }],
])('writes %j as it was read', (filters) => {
  expect(filtersOf(draftFilters(filters))).toEqual(filters);
});
