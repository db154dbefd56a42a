// SPDX-License-Identifier: Apache-2.0
import fc from 'fast-check';
import { findChannelKind } from './channel-kinds.ts';

const formatMessage = (payloads: readonly string[]): string => findChannelKind('telegram')!.render(payloads);

const transaction = (more: object = {}, changes: object[] = []): string =>
  JSON.stringify({
    type: 'transaction.detected',
    is_test_message: false,
    data: {
      transaction: {
        id: '6f1d1f4e-0000-4000-8000-000000000001',
        hash: '0xabc',
        status: 'detected',
        fee: null,
        transfers: [],
        replaced_by: null,
        chain_gid: 'eip155:1',
        direction: 'in',
        block_number: 7,
        confirmations: 1,
        required_confirmations: 12,
        ...more,
      },
      balance_changes: changes,
      truncated: false,
    },
  });

test('says what happened, in HTML that cannot be broken out of', () => {
  const text = formatMessage([
    transaction({ hash: '<b>&' }, [
      { address: '0x1', asset_gid: 'eip155:1/slip44:60', delta: '1.5', delta_raw: '1' },
      { address: '0x2', asset_gid: 'a', delta: null, delta_raw: '-3' },
    ]),
  ]);
  expect(text.split('\n')).toEqual([
    '<b>+1.5 native coin to 0x1 and 1 more · eip155:1 · detected, 1 of 12 confirmations</b>',
    '-3 base units of a · 0x2',
    'Address: <code>0x1</code>',
    'Address: <code>0x2</code>',
    'Token: <code>a</code>',
    'Block: 7',
    'Transaction: <code>&lt;b&gt;&amp;</code>',
  ]);
});

test('names an address by its label, and tells nothing else that is said of it', () => {
  const event = JSON.parse(
    transaction({}, [{ address_id: 'a1', address: '0x1', asset_gid: 'a', delta: '2', delta_raw: '2' }]),
  ) as { data: { addresses?: object[] } };
  event.data.addresses = [
    { address_id: 'a1', address: '0x1', label: '<Order 7>', groups: ['vip'], metadata: { secret: 'x' } },
  ];
  const payload = JSON.stringify(event);
  const text = formatMessage([payload]);
  expect(text).toContain('+2 a to &lt;Order 7&gt; · ');
  expect(text + formatMessage([payload, payload])).not.toMatch(/vip|secret/);
  expect(formatMessage([payload, payload])).toContain('• +2 a to &lt;Order 7&gt; · ');
});

test('never goes beyond 4,096 characters, and cuts no tag', () => {
  const change = fc.record({
    address: fc.string({ maxLength: 90 }),
    asset_gid: fc.string({ maxLength: 170 }),
    delta: fc.option(fc.constant('-1.5')),
    delta_raw: fc.constant('1'),
  });
  const event = fc
    .tuple(fc.string({ maxLength: 128 }), fc.array(change, { maxLength: 60 }))
    .map(([hash, changes]) => transaction({ hash }, changes));
  fc.assert(
    fc.property(fc.array(event, { minLength: 1, maxLength: 60 }), (payloads) => {
      const text = formatMessage(payloads);
      expect(text.length).toBeLessThanOrEqual(4_096);
      expect(text.match(/<code>/g)?.length).toBe(text.match(/<\/code>/g)?.length);
      expect(text.replace(/<\/?(b|code)>|&(amp|lt|gt);/g, '')).not.toMatch(/[<>&]/);
    }),
    { numRuns: 60 },
  );
});

test('says how much it leaves out', () => {
  expect(
    formatMessage(
      Array.from({ length: 100 }, () =>
        transaction({ hash: 'x'.repeat(100) }, [
          { address: '0x1', asset_gid: 'a'.repeat(100), delta: '1', delta_raw: '1' },
        ]),
      ),
    ),
  ).toMatch(/^<b>100 events<\/b>\n[^]*\n… and \d+ more$/);
});

const NASTY = '`*x*_y_~z~<@1><!channel>&lt;[a](https://b.io)@everyone #1 > q';

test.each([
  [
    'slack',
    'Channel `*x*_y_~z~&lt;@1&gt;&lt;!channel&gt;&amp;lt;[a](https://b.io)@everyone #1 &gt; q failed · toy · gone',
  ],
  [
    'discord',
    String.raw`**Channel \`\*x\*\_y\_\~z\~\<\@1\>\<!channel\>&lt;\[a\]\(https\://b\.io\)\@everyone \#1 \> q failed · toy · gone**`,
  ],
])('%s shows what people wrote letter by letter', (kind, line) => {
  const channel = { id: 'c1', name: NASTY, kind: 'toy', failure_reason: 'gone' };
  const payload = JSON.stringify({ type: 'channel.failed', is_test_message: false, data: { channel } });
  expect(findChannelKind(kind)!.render([payload]).split('\n')[0]).toBe(line);
});

test.each([
  ['slack', 4_000, /&(amp|lt|gt);/g, /[<>&]/],
  ['discord', 4_096, /`[^`\n]*`|\\[^0-9A-Za-z\s]/g, /[`\\<>_~|]/],
])('%s never gets more than it takes, and no markup that an event brought', (kind, max, known, unknown) => {
  const change = fc.record({
    address: fc.string({ maxLength: 90 }),
    asset_gid: fc.string({ maxLength: 170 }),
    delta: fc.string({ maxLength: 30 }),
    delta_raw: fc.constant('1'),
  });
  const event = fc
    .tuple(fc.string({ maxLength: 128 }), fc.array(change, { maxLength: 60 }))
    .map(([hash, changes]) => transaction({ hash }, changes));
  fc.assert(
    fc.property(fc.array(event, { minLength: 1, maxLength: 60 }), (payloads) => {
      const text = findChannelKind(kind)!.render(payloads);
      expect(text.length).toBeLessThanOrEqual(max);
      expect(text.replace(known, '')).not.toMatch(unknown);
    }),
    { numRuns: 60 },
  );
});

test.each(['telegram', 'slack', 'discord', 'email'])(
  'a label stands on one line and does not turn what follows it round, in %s',
  (kind) => {
    const change = { address_id: 'a1', address: '0x1', asset_gid: 'a', delta: '2', delta_raw: '2' };
    const render = (label: string): string => {
      const event = JSON.parse(transaction({}, [change])) as { data: { addresses?: object[] } };
      event.data.addresses = [{ address_id: 'a1', address: '0x1', label, groups: [], metadata: {} }];
      return findChannelKind(kind)!.render([JSON.stringify(event)]);
    };
    const forged = 'Bob\n\r\n\u2028\u2029\u0085\u000b+1000000 USDT on Treasury\u202e\u2066';
    expect(render(forged).split(/[\n\r\u2028\u2029\u0085\u000b]/)).toHaveLength(
      render('Bob').split('\n').length,
    );
    expect(render(forged)).not.toMatch(/[\u202a-\u202e\u2066-\u2069]/);
  },
);
