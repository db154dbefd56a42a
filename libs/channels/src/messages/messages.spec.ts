// SPDX-License-Identifier: Apache-2.0
import fc from 'fast-check';
import { EVENT_TYPES } from '@chainwatch/events';
import { findChannelKind } from '../channel-kinds.ts';
import { NO_NAMES, type NameBook } from './name-book.ts';
import { CONTRACT, FAMILY_NAMES, namesWith, payloadOf, TOKEN, tokenPayment, USDT } from './spec-events.ts';
import { writeConsentMail, writeMailFooter } from './mail-texts.ts';

const FORMATS = ['telegram', 'slack', 'discord', 'email'] as const;
const [DETECTED] = EVENT_TYPES;

const render = (format: string, payloads: readonly string[], names: NameBook = namesWith()): string =>
  findChannelKind(format)!.render(payloads, names);
/** Every format of an event, one below the other. */
const renderAll = (payload: string, names?: NameBook): string =>
  FORMATS.map((format) => `── ${format}\n${render(format, [payload], names)}\n`).join('\n');
/** The headline of a mail: plain text. */
const headlineOf = (payload: string, names?: NameBook): string =>
  render('email', [payload], names).split('\n')[2]!;

describe.each(FAMILY_NAMES)('%s', (family) => {
  test.each(EVENT_TYPES)('%s', (type) => {
    expect(renderAll(payloadOf(type, family))).toMatchSnapshot();
  });

  test('says amount, customer, chain and state in the first line', () => {
    const first = headlineOf(payloadOf(DETECTED, family));
    expect(first).toMatch(/^\+1 [A-Z]{3} to Order 4711 · \w+ · detected, 1 of 12 confirmations$/);
  });
});

describe('states of a payment', () => {
  test.each<[string, object]>([
    ['pending', { status: 'pending', block_number: null, confirmations: 0 }],
    ['two of twelve', { confirmations: 2 }],
    ['not proved', { verification: 'unproved' }],
    ['dropped', { status: 'failed', block_number: null }],
    ['replaced', { status: 'failed', block_number: null, replaced_by: `0x${'9'.repeat(64)}` }],
    ['failed in a block', { status: 'failed' }],
    ['with a memo', { memo: 'order 4711\nthanks' }],
  ])('%s', (_name, transaction) => {
    expect(renderAll(payloadOf(DETECTED, 'evm', { transaction }))).toMatchSnapshot();
  });

  test('imported, and a test message: it has no links, since no page shows it', () => {
    expect(renderAll(payloadOf(DETECTED, 'evm', { isHistorical: true }))).toMatchSnapshot();
    const test = renderAll(payloadOf(DETECTED, 'evm', { isTest: true }));
    expect(test).toMatchSnapshot();
    expect(test).not.toContain('https://');
  });
});

describe('amounts', () => {
  const paid = (delta: string | null, raw: string): string =>
    headlineOf(tokenPayment(USDT, { delta, raw })).split(' · ')[0]!;

  test.each<[string | null, string, string]>([
    ['25', '25000000', '+25 USDT to Order 4711'],
    ['0', '0', '0 USDT to Order 4711'],
    ['0.000', '0', '0.000 USDT to Order 4711'],
    ['18446744073709.551616', '18446744073709551616', '+18446744073709.551616 USDT to Order 4711'],
    [null, '25000000', '+25000000 base units of USDT to Order 4711'],
    [null, String(2n ** 256n - 1n), '+about 1.157e77 base units of USDT to Order 4711'],
    [`${2n ** 256n}.5`, '1', '+about 1.157e77 USDT to Order 4711'],
    [`0.${'0'.repeat(60)}12`, '12', '+about 1.200e-61 USDT to Order 4711'],
    ['-25', '-25000000', '-25 USDT from Order 4711'],
  ])('%s (%s)', (delta, raw, expected) => {
    expect(paid(delta, raw)).toBe(expected);
  });

  test('what wallets multiply the amounts of a token with is said', () => {
    const payload = tokenPayment(TOKEN, { delta: '25' });
    expect(render('email', [payload], namesWith({ symbol: 'SHARE', multiplier: '1.5' }))).toContain(
      `Token: ${CONTRACT} (wallets show amounts times 1.5)`,
    );
  });
});

describe('symbols', () => {
  const symbolOf = (symbol: string | null): string =>
    /^\+25 (.*) to Order 4711/.exec(
      headlineOf(tokenPayment(TOKEN, { delta: '25' }), namesWith({ symbol })),
    )![1]!;

  test.each<[string | null, string]>([
    ['UNI', 'UNI (0x1f9840…01f984)'],
    ['USDC.e', 'USDC.e (0x1f9840…01f984)'],
    // Imitations of well-known assets.
    ['USDT', 'USDT (unverified, 0x1f9840…01f984)'],
    ['usdt', 'usdt (unverified, 0x1f9840…01f984)'],
    ['USDТ', 'USDТ (unverified, 0x1f9840…01f984)'],
    ['USD₮', 'USD₮ (unverified, 0x1f9840…01f984)'],
    ['U S D T', 'U S D T (unverified, 0x1f9840…01f984)'],
    ['ＵＳＤＴ', 'ＵＳＤＴ (unverified, 0x1f9840…01f984)'],
    ['ÉTH', 'ÉTH (unverified, 0x1f9840…01f984)'],
    // Nothing that a chat service would link or obey.
    ['claim-usdt.com', '0x1f9840…01f984'],
    ['https://evil', '0x1f9840…01f984'],
    ['<b>USDT</b>', '0x1f9840…01f984'],
    ['USDT\u202e', '0x1f9840…01f984'],
    ['@everyone', '0x1f9840…01f984'],
    ['', '0x1f9840…01f984'],
    [null, '0x1f9840…01f984'],
    ['A'.repeat(100), `${'A'.repeat(23)}… (0x1f9840…01f984)`],
  ])('%j', (symbol, expected) => {
    expect(symbolOf(symbol)).toBe(expected);
  });

  test('the contract of a well-known token needs no mark', () => {
    expect(headlineOf(tokenPayment(USDT, { delta: '25' }))).toBe(
      '+25 USDT to Order 4711 · Ethereum · detected, 1 of 12 confirmations',
    );
  });

  test('a coin of a chain whose name is not known, and its id', () => {
    expect(headlineOf(payloadOf(DETECTED, 'evm'), NO_NAMES)).toBe(
      '+1 native coin to Order 4711 · eip155:1 · detected, 1 of 12 confirmations',
    );
  });
});

describe('parties', () => {
  const change = (address: string, delta: string, more: object = {}): object => ({
    ...{ address_id: address, address, asset_gid: USDT, delta, delta_raw: `${delta}000000`, ...more },
  });
  const of = (direction: string, changes: object[], more: object = {}): string => {
    const transfer = { ...{ index: 0, type: 'token', asset_gid: USDT, from: '0xa', to: '0xb', memo: null } };
    return headlineOf(
      payloadOf(DETECTED, 'evm', {
        transaction: {
          direction,
          transfers: [{ ...transfer, monitored_addresses: ['0xa', '0xb'] }],
          ...more,
        },
        data: {
          balance_changes: changes,
          addresses: [
            { address_id: '0xa', address: '0xa', label: 'Hot wallet', groups: [], metadata: {} },
            { address_id: '0xb', address: '0xb', label: 'Cold wallet', groups: [], metadata: {} },
          ],
        },
      }),
    ).split(' · ')[0]!;
  };
  const fee = { asset_gid: 'eip155:1/slip44:60', amount: '0.0004', amount_raw: '1' };
  const paidFee = change('0xa', '-0.0004', { asset_gid: fee.asset_gid });

  test('who paid, without the fee', () => {
    expect(of('out', [paidFee, change('0xa', '-25')], { fee })).toBe('-25 USDT from Hot wallet');
  });

  test('from one address of the project to another', () => {
    expect(of('self', [change('0xa', '-25'), change('0xb', '25'), paidFee], { fee })).toBe(
      '25 USDT from Hot wallet to Cold wallet',
    );
  });

  test('several customers', () => {
    expect(of('in', [change('0xa', '25'), change('0xb', '5')])).toBe('+25 USDT to Hot wallet and 1 more');
  });

  test('nothing but a fee', () => {
    expect(of('out', [paidFee], { fee, transfers: [], status: 'failed' })).toBe(
      '-0.0004 ETH (fee) from Hot wallet',
    );
  });

  test('an item of a collection', () => {
    const nft = {
      ...{ index: 0, type: 'nft', asset_gid: `eip155:1/erc721:${CONTRACT}`, from: '0xc', to: '0xb' },
    };
    expect(of('in', [], { transfers: [{ ...nft, amount: null, monitored_addresses: ['0xb'] }] })).toBe(
      'NFT 0x1f9840…01f984 to Cold wallet',
    );
  });

  test('nothing at all', () => {
    expect(of('in', [], { transfers: [] })).toBe('Transaction 0x5c504e…b22060 of Hot wallet');
  });
});

describe('hostile values', () => {
  const NASTY = '`*x*_y_~z~<@1><!channel>&lt;[a](https://b.example)@everyone #1 > q';

  test.each<[string, string]>([
    ['markup', NASTY],
    ['another message', 'Bob\n\r\n\u2028\u2029\u0085\u000b+1000000 USDT to Treasury\u202e\u2066'],
    ['right to left', 'הזמנה 4711'],
    ['very long', 'long '.repeat(200)],
  ])('a label with %s', (_name, label) => {
    expect(renderAll(payloadOf(DETECTED, 'evm', { label }))).toMatchSnapshot();
  });

  test.each(FORMATS)('the first line of %s is bounded, whatever names say', (format) => {
    const names = {
      ...namesWith(),
      findNetwork: () => ({ displayName: 'chain '.repeat(50), native: undefined }) as never,
      findToken: () => ({ symbol: '𝕌'.repeat(500) }),
    };
    const label = '&<>*_`'.repeat(100);
    const text = render(format, [tokenPayment(TOKEN, { delta: null, raw: '9'.repeat(78), label })], names);
    expect(text.split('\n')[0]!.length).toBeLessThan(1_000);
    expect(text).not.toMatch(/^\n/);
  });

  test.each(FORMATS)('%s: a digest has a line for each event', (format) => {
    const payloads = [payloadOf(DETECTED, 'evm', { label: NASTY }), payloadOf(DETECTED, 'bitcoin')];
    expect(render(format, payloads)).toMatchSnapshot();
  });

  test.each(FORMATS)('%s: no label adds a line', (format) => {
    const lines = (label: string): number =>
      render(format, [payloadOf(DETECTED, 'evm', { label })]).split(/[\n\r\u2028\u2029\u0085]/).length;
    const usual = lines('Bob');
    fc.assert(
      fc.property(fc.string({ unit: 'binary', minLength: 1 }), (label) => lines(`B${label}`) === usual),
      { numRuns: 200 },
    );
  });
});

describe('links', () => {
  test('no explorer, no address of the dashboard', () => {
    const plain = (names: NameBook): string => render('email', [payloadOf(DETECTED, 'evm')], names);
    expect(plain(namesWith())).toMatch(
      /\nView payment: https:\/\/watch\.example\.com\/ui\/transactions\/[\w-]{36}\?project=[\w-]{36}\nView in explorer: https:\/\/explorer\.example\.com\/tx\/0x\w{64}$/,
    );
    expect(plain(namesWith(undefined, { hasExplorer: false }))).not.toContain('explorer');
    expect(plain({ ...namesWith(undefined, { hasExplorer: false }), publicUrl: undefined })).not.toContain(
      'http',
    );
  });
});

describe('mails', () => {
  const LINK = 'https://watch.example.com/mail/AAAA';
  const publicUrl = 'https://watch.example.com';

  test.each([
    ['with a brand', { publicUrl, brandName: 'Acme Payments', brandUrl: 'https://acme.example' }],
    ['without a brand', { publicUrl }],
  ])('%s: the question, and the end of each mail', (_name, installation) => {
    const { subject, text } = writeConsentMail(installation, LINK);
    expect(`${subject}\n\n${text}`).toMatchSnapshot();
    expect(writeMailFooter(installation, LINK)).toMatchSnapshot();
  });

  test('the subject says amount, customer and state', () => {
    const subjects = (...payloads: string[]): string => render('email', payloads).split('\n')[0]!;
    expect(subjects(tokenPayment(USDT, { delta: '25' }))).toBe('+25 USDT – Order 4711 – detected');
    expect(subjects(tokenPayment(USDT, { delta: '25' }), payloadOf(DETECTED, 'tron'))).toBe(
      '+25 USDT – Order 4711 – detected and 1 more',
    );
  });
});
