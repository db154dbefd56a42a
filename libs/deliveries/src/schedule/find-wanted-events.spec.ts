// SPDX-License-Identifier: Apache-2.0
import { loadExpressions, type ChannelFilters } from '@chainwatch/channels';
import type { EventEnvelope } from '@chainwatch/events';
import type { Channel } from '../channel-store.ts';
import { findWantedEvents, matchesChannel } from './find-wanted-events.ts';

const { compileExpression } = await loadExpressions();

const CHAIN = 'eip155:1';
const TOKEN = 'eip155:1/erc20:0x01';
const ETH = 'eip155:1/slip44:60';

function transaction(
  type: EventEnvelope['type'],
  transfers: readonly { asset_gid: string; amount: string | null; type?: 'nft'; isOthers?: boolean }[],
): EventEnvelope {
  const fee = { asset_gid: ETH, amount: '0.001', amount_raw: '1' };
  return {
    type,
    data: {
      transaction: {
        chain_gid: CHAIN,
        direction: 'in',
        fee,
        transfers: transfers.map(({ isOthers, ...transfer }) => ({
          ...transfer,
          monitored_addresses: isOthers === true ? [] : ['a1'],
        })),
      },
      balance_changes: [{ address_id: 'a1' }, { address_id: 'a2' }],
      truncated: false,
    },
  } as unknown as EventEnvelope;
}

/** Of two addresses, with what their user says of them. */
const said = (a1: object, a2: object = {}): EventEnvelope =>
  ({
    type: 'balance.changed',
    data: {
      chain_gid: CHAIN,
      address_id: 'a1',
      asset_gid: TOKEN,
      delta: '1',
      addresses: [a1, a2].map((own, at) => ({
        address_id: `a${at + 1}`,
        groups: [],
        metadata: {},
        metadata_truncated: false,
        ...own,
      })),
    },
  }) as unknown as EventEnvelope;

function balance(delta: string | null, deltaRaw?: string): EventEnvelope {
  return {
    type: 'balance.changed',
    data: { chain_gid: CHAIN, address_id: 'a1', asset_gid: TOKEN, delta, delta_raw: deltaRaw },
  } as unknown as EventEnvelope;
}

const types = new Set(['transaction.detected', 'transaction.failed', 'balance.changed']);
const detected = transaction('transaction.detected', [
  { asset_gid: TOKEN, amount: '1000.5' },
  { asset_gid: ETH, amount: '2' },
]);

const paid = transaction('transaction.detected', [
  { asset_gid: ETH, amount: '9' },
  { asset_gid: ETH, amount: '2', isOthers: true },
  { asset_gid: ETH, amount: '6.9' },
]);

test.each<[string, ChannelFilters, EventEnvelope, boolean]>([
  ['no filter', {}, detected, true],
  ['another type', {}, transaction('transaction.confirmed', []), false],
  ['its chain', { chain_gids: ['eip155:137', CHAIN] }, detected, true],
  ['another chain', { chain_gids: ['eip155:137'] }, detected, false],
  ['an empty list', { chain_gids: [] }, detected, true],
  ['one of its assets', { asset_gids: [TOKEN] }, detected, true],
  [
    'the fee alone',
    { asset_gids: [ETH] },
    transaction('transaction.detected', [{ asset_gid: TOKEN, amount: '1' }]),
    false,
  ],
  ['the fee of a failure', { asset_gids: [ETH] }, transaction('transaction.failed', []), true],
  ['one of its addresses', { address_ids: ['a2'] }, detected, true],
  ['another address', { address_ids: ['a3'] }, detected, false],
  ['its direction', { direction: 'in' }, detected, true],
  ['another direction', { direction: 'out' }, detected, false],
  ['enough', { min_amount: '1000.50' }, detected, true],
  ['not enough', { min_amount: '1000.51' }, detected, false],
  ['enough of another asset only', { asset_gids: [ETH], min_amount: '3' }, detected, false],
  [
    'more than a float can tell',
    { min_amount: '9007199254740993.000000000000000001' },
    transaction('transaction.detected', [{ asset_gid: TOKEN, amount: '9007199254740993' }]),
    false,
  ],
  [
    'an unknown amount',
    { min_amount: '0' },
    transaction('transaction.detected', [{ asset_gid: TOKEN, amount: null }]),
    true,
  ],
  [
    'a token of a collection, which is no amount',
    { min_amount: '0' },
    transaction('transaction.detected', [{ asset_gid: TOKEN, amount: null, type: 'nft' }]),
    false,
  ],
  [
    'an unknown amount of another asset',
    { asset_gids: [ETH], min_amount: '1' },
    transaction('transaction.detected', [
      { asset_gid: TOKEN, amount: null },
      { asset_gid: ETH, amount: '0.5' },
    ]),
    false,
  ],
  ['enough for others', { min_amount: '2' }, paid, true],
  ['not enough for others, more with the change', { min_amount: '2.1' }, paid, false],
  [
    'what was to be moved before it was replaced',
    { min_amount: '1000' },
    transaction('transaction.failed', [{ asset_gid: TOKEN, amount: '1000.5' }]),
    true,
  ],
  [
    'all at once',
    { chain_gids: [CHAIN], asset_gids: [TOKEN], address_ids: ['a1'], direction: 'in', min_amount: '1' },
    detected,
    true,
  ],
  ['a balance that fell', { direction: 'out', min_amount: '2' }, balance('-2.5'), true],
  ['a balance that rose', { direction: 'in' }, balance('1'), true],
  ['a balance that rose, seen as out', { direction: 'out' }, balance('1'), false],
  ['a first balance by direction', { direction: 'in' }, balance(null), false],
  ['a first balance by amount', { min_amount: '1' }, balance(null), false],
  ['an unknown amount that left', { direction: 'out', min_amount: '2' }, balance(null, '-5'), true],
  ['an unknown amount that left, seen as in', { direction: 'in' }, balance(null, '-5'), false],
])('%s: %j', (_name, filters, event, expected) => {
  expect(matchesChannel({ eventTypes: types, filters }, event)).toBe(expected);
});

test.each<[string, ChannelFilters, EventEnvelope, boolean]>([
  ['one of its groups', { groups: ['x', 'vip'] }, said({ groups: ['shop', 'vip'] }), true],
  ['another group', { groups: ['x'] }, said({ groups: ['shop', 'vip'] }), false],
  ['a group of the second address', { groups: ['vip'] }, said({}, { groups: ['vip'] }), true],
  ['no group', { groups: ['vip'] }, said({}), false],
  ['its metadata', { metadata: { shop: '7' } }, said({ metadata: { shop: '7', more: {} } }), true],
  ['a number as text', { metadata: { shop: '7' } }, said({ metadata: { shop: 7 } }), true],
  ['a text as number', { metadata: { shop: 7 } }, said({ metadata: { shop: '7' } }), true],
  ['true', { metadata: { live: true } }, said({ metadata: { live: true } }), true],
  ['other metadata', { metadata: { shop: '7' } }, said({ metadata: { shop: '8' } }), false],
  ['one member of two', { metadata: { shop: '7', till: '1' } }, said({ metadata: { shop: '7' } }), false],
  ['a member that every object has', { metadata: { toString: 'x' } }, said({}), false],
  ['a list', { metadata: { shop: '7' } }, said({ metadata: { shop: ['7'] } }), false],
  ['null', { metadata: { shop: 'null' } }, said({ metadata: { shop: null } }), false],
  ['no members', { metadata: {} }, said({}), true],
  [
    'what two addresses have together only',
    { groups: ['vip'], metadata: { shop: '7' } },
    said({ groups: ['vip'] }, { metadata: { shop: '7' } }),
    false,
  ],
  [
    'the group of another address',
    { address_ids: ['a1'], groups: ['vip'] },
    said({}, { groups: ['vip'] }),
    false,
  ],
  [
    'what the event leaves out and the table has',
    { metadata: { shop: '7' } },
    said({ address_id: 'long', metadata_truncated: true }),
    true,
  ],
  [
    'what the event leaves out and the table does not have either',
    { metadata: { shop: '8' } },
    said({ address_id: 'long', metadata_truncated: true }),
    false,
  ],
  [
    'what the event leaves out of an address that was deleted',
    { metadata: { shop: '8' } },
    said({ address_id: 'deleted', metadata_truncated: true }),
    true,
  ],
  [
    'an event of an earlier release',
    { groups: ['shop'] },
    { ...balance('1'), data: { ...balance('1').data, address_id: 'long' } } as EventEnvelope,
    true,
  ],
])('by what users say of addresses, %s: %j', (_name, filters, event, expected) => {
  const leftOut = new Map([['long', { groups: ['shop'], metadata: { shop: 7 } }]]);
  expect(matchesChannel({ eventTypes: types, filters }, event, leftOut)).toBe(expected);
});

describe('by what stands behind it', () => {
  const proved: ChannelFilters = { verification: ['proved', 'agreed'] };
  const of = (type: EventEnvelope['type'], verification?: string | null): EventEnvelope => {
    const event = transaction(type, [
      { asset_gid: ETH, amount: '1' },
    ]) as EventEnvelope<'transaction.detected'>;
    return {
      ...event,
      data: { ...event.data, transaction: { ...event.data.transaction, verification } },
    } as EventEnvelope;
  };
  const balanceOf = (verification?: string | null): EventEnvelope =>
    ({ ...balance('1'), data: { ...balance('1').data, verification } }) as EventEnvelope;

  test.each<[string, ChannelFilters, EventEnvelope, boolean]>([
    ['one of those wanted', proved, of('transaction.detected', 'agreed'), true],
    ['another one', proved, of('transaction.detected', 'attested'), false],
    ['another one, of a failure', proved, of('transaction.failed', 'unproved'), false],
    ['one that this release does not know', proved, of('transaction.detected', 'sworn'), false],
    ['a test message', proved, of('transaction.detected', null), true],
    ['an event of an earlier release', proved, of('transaction.detected'), true],
    ['an empty list', { verification: [] }, of('transaction.detected', 'unproved'), true],
    ['a balance that a node states', proved, balanceOf('attested'), false],
    ['a balance summed from coins', proved, balanceOf('proved'), true],
    ['a balance of an earlier release', proved, balanceOf(), true],
    ['all filters together', { ...proved, direction: 'out' }, of('transaction.detected', 'proved'), false],
  ])('%s: %j', (_name, filters, event, expected) => {
    expect(matchesChannel({ eventTypes: types, filters }, event)).toBe(expected);
  });

  it('does not apply to events that are of no transaction', () => {
    const failed = { type: 'channel.failed', data: { channel: { id: 'x' } } } as unknown as EventEnvelope;
    expect(matchesChannel({ eventTypes: new Set(['channel.failed']), filters: proved }, failed)).toBe(true);
  });
});

describe('an event that has no room for all', () => {
  const many = (data: object): EventEnvelope => {
    const event = transaction(
      'transaction.detected',
      Array.from({ length: 100 }, () => ({ asset_gid: ETH, amount: '1' })),
    );
    return { ...event, data: { ...event.data, truncated: true, ...data } } as EventEnvelope;
  };
  const carried = {
    addresses: [{ address_id: 'a1', groups: ['shop'], metadata: {}, metadata_truncated: false }],
  };

  test.each<[string, ChannelFilters, object, boolean]>([
    ['another asset', { asset_gids: [TOKEN] }, carried, true],
    ['more than what is shown', { min_amount: '5' }, carried, true],
    ['another direction', { direction: 'out' }, carried, false],
    ['another chain', { chain_gids: ['eip155:137'] }, carried, false],
    ['an address of all that there are', { address_ids: ['a1'] }, carried, true],
    ['another address', { address_ids: ['a3'] }, carried, false],
    [
      'another address, which may be left out',
      { address_ids: ['a3'] },
      { ...carried, addresses_truncated: true },
      true,
    ],
    [
      'a group that one which is left out may be in',
      { groups: ['vip'] },
      { ...carried, addresses_truncated: true },
      true,
    ],
  ])('%s: %j', (_name, filters, data, expected) => {
    expect(matchesChannel({ eventTypes: types, filters }, many(data))).toBe(expected);
  });

  it('an asset of a transaction whose addresses alone are too many is looked for in what moved', () => {
    const event = { ...detected, data: { ...detected.data, truncated: true, addresses_truncated: true } };
    expect(
      [ETH, 'eip155:1/erc20:0x02'].map((asset) =>
        matchesChannel({ eventTypes: types, filters: { asset_gids: [asset] } }, event as EventEnvelope),
      ),
    ).toEqual([true, false]);
  });
});

describe('by why a balance changed', () => {
  const untold: ChannelFilters = { reasons: ['withdrawal', 'adjustment'] };
  const because = (...reasons: readonly string[]): EventEnvelope =>
    ({
      ...balance('1'),
      data: {
        ...balance('1').data,
        changes: reasons.map((reason) => ({ reason, amount: '1', amount_raw: '1' })),
      },
    }) as EventEnvelope;
  test.each<[string, ChannelFilters, EventEnvelope, boolean]>([
    ['one of those wanted', untold, because('withdrawal'), true],
    ['one of those wanted beside others', untold, because('transfer', 'fee', 'adjustment'), true],
    ['others alone', untold, because('transfer', 'fee'), false],
    ['a first balance of which nothing is known', untold, because(), false],
    ['one that this release does not know', untold, because('airdrop'), false],
    ['a balance of an earlier release', untold, balance('1'), true],
    ['a transaction', untold, detected, true],
    ['an empty list', { reasons: [] }, because('transfer'), true],
    ['all filters together', { ...untold, direction: 'out' }, because('withdrawal'), false],
  ])('%s: %j', (_name, filters, event, expected) => {
    expect(matchesChannel({ eventTypes: types, filters }, event)).toBe(expected);
  });
});

describe('by memo', () => {
  const said = (memo: string | null, ...memos: (string | null)[]): EventEnvelope => {
    const event = transaction('transaction.detected', [
      ...memos.map(() => ({ asset_gid: TOKEN, amount: '1' })),
    ]) as unknown as {
      data: { transaction: { memo: string | null; transfers: { memo?: string | null }[] } };
    };
    event.data.transaction.memo = memo;
    for (const [index, own] of memos.entries()) event.data.transaction.transfers[index]!.memo = own;
    return event as unknown as EventEnvelope;
  };

  it.each<[string, ChannelFilters, EventEnvelope, boolean]>([
    ['the whole', { memo: 'order 1\nplease' }, said('order 1\nplease'), true],
    ['a line', { memo: 'order 1' }, said('hello\norder 1'), true],
    ['that of a transfer', { memo: 'order 1' }, said(null, null, 'order 1'), true],
    ['a part of one', { memo: 'order' }, said('order 1'), false],
    ['other letters', { memo: 'Order 1' }, said('order 1'), false],
    ['none', { memo: 'order 1' }, said(null, null), false],
    ['a beginning', { memo_prefix: 'order ' }, said('hello\norder 1'), true],
    ['another beginning', { memo_prefix: 'order ' }, said('my order 1'), false],
    ['both', { memo: 'order 1', memo_prefix: 'order 2' }, said('order 1'), false],
    ['a balance, which has none', { memo: 'order 1' }, balance('1'), true],
  ])('%s', (_name, filters, event, expected) =>
    expect(matchesChannel({ eventTypes: types, filters }, event)).toBe(expected),
  );
});

describe('by expression', () => {
  const channel = (text: string, filters: ChannelFilters = {}) => ({
    eventTypes: new Set(['transaction.detected', 'channel.failed']),
    filters: { ...filters, expression: text },
    expression: compileExpression(text),
  });
  const failed = {
    type: 'channel.failed',
    data: { channel: { id: 'x', name: 'Payments' } },
  } as unknown as EventEnvelope;

  it.each<[string, string, ChannelFilters, EventEnvelope, boolean]>([
    ['it is true', 'event.data.transaction.direction == "in"', {}, detected, true],
    ['it is false', 'event.data.transaction.direction == "out"', {}, detected, false],
    ['a filter beside it does not match', 'true', { direction: 'out' }, detected, false],
    ['both match', 'true', { direction: 'in' }, detected, true],
    ['another type', 'true', {}, balance('1'), false],
    ['an event that other filters are not about', 'event.data.channel.name == "Other"', {}, failed, false],
    ['the same, and it is true', 'event.data.channel.name == "Payments"', { direction: 'out' }, failed, true],
    ['a member is missing', 'event.data.current == "1"', {}, detected, false],
  ])('%s: %s', (_name, text, filters, event, expected) => {
    expect(matchesChannel(channel(text, filters), event)).toBe(expected);
  });

  const row = {
    id: 7,
    event_id: 'e',
    project_id: 'p',
    type: detected.type,
    payload: JSON.stringify(detected),
  };
  const own = { id: 'c', projectId: 'p' };
  const find = async (of: object) => {
    const told: unknown[] = [];
    const found = await findWantedEvents([row], {
      channels: [{ ...own, ...of } as unknown as Channel],
      leftOut: new Map(),
      onFault: (_channel, err) => told.push(err),
    });
    return { wants: found.wanted[0]!.channels.length === 1, faults: found.faults, told };
  };

  it('says which event it could not be evaluated for', async () => {
    expect(await find(channel('event.data.current == "1"'))).toEqual({
      wants: false,
      faults: [{ eventRowId: 7, channelId: 'c', reason: 'No such key: current' }],
      told: [],
    });
  });

  it('one that nobody compiled lets nothing through, and says so', async () => {
    const { wants, told } = await find({ ...channel('true'), expression: undefined });
    expect(wants).toBe(false);
    expect(told).toEqual([
      expect.objectContaining({ message: 'the expression of the channel was not compiled' }),
    ]);
  });

  it('costs plain channels nothing: no payload is read, and only channels with one are judged', async () => {
    const unread = {
      ...{ ...row, id: 8 },
      get payload(): string {
        throw new Error('read for nobody');
      },
    };
    const plain = ['p1', 'p2'].map(
      (id) => ({ id, projectId: 'p', eventTypes: types, filters: {} }) as unknown as Channel,
    );
    const findAll = async (event: typeof row, channels: readonly Channel[]) => {
      const { wanted } = await findWantedEvents([event], {
        ...{ channels, leftOut: new Map() },
        onFault: (_channel, err) => {
          throw err;
        },
      });
      return wanted[0]!.channels.map(({ id }) => id);
    };
    expect(await findAll(unread, plain)).toEqual(['p1', 'p2']);
    // Of another project, or of another type.
    const others = [{ projectId: 'q' }, { eventTypes: new Set(['balance.changed']) }].map(
      (more) => ({ ...own, ...channel('true'), ...more }) as unknown as Channel,
    );
    expect(await findAll(unread, [...plain, ...others])).toEqual(['p1', 'p2']);

    const judged: unknown[] = [];
    const watched = {
      ...{ ...own, ...channel('true') },
      expression: {
        judge(event: unknown) {
          judged.push(event);
          return { matches: false };
        },
      },
    } as unknown as Channel;
    expect(await findAll(row, [...plain, watched])).toEqual(['p1', 'p2']);
    expect(judged).toEqual([detected]);
  });

  it('lets others have the process between two channels, and begins no event when its time is over', async () => {
    const busy = {
      ...{ ...own, ...channel('true') },
      expression: {
        judge() {
          for (const endMs = performance.now() + 11; performance.now() < endMs; );
          return { matches: true };
        },
      },
    } as unknown as Channel;
    let turns = 0;
    const other = setInterval(() => (turns += 1), 0);
    const found = await findWantedEvents([row, { ...row, id: 8 }, { ...row, id: 9 }], {
      ...{ channels: [busy, busy, busy], leftOut: new Map(), onFault: () => undefined },
      untilMs: performance.now(),
    });
    clearInterval(other);
    expect(turns).toBeGreaterThan(1);
    expect(found.wanted.map(({ event }) => event.id)).toEqual([7]);
  });
});
