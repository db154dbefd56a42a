// SPDX-License-Identifier: Apache-2.0
import fc from 'fast-check';
import { decodeBlock } from './read-block.ts';
import { parseAmount } from './parse-amount.ts';
import { parseExactJson } from './parse-exact-json.ts';
import { generateBlock, generateTransaction, traitsOf } from './spec-coin-blocks.ts';

/** As nodes write it: 8 decimals, no exponent. */
function toCoins(amountRaw: bigint): string {
  const digits = amountRaw.toString().padStart(9, '0');
  return `${digits.slice(0, -8)}.${digits.slice(-8)}`;
}

describe('an amount in JSON', () => {
  it('is exact, whatever its size', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 2n ** 63n - 1n }), (amountRaw) => {
        const text = `{"result":{"value":${toCoins(amountRaw)},"n":0},"error":null}`;
        const { result } = parseExactJson(text) as { result: { value: number | string } };
        expect(parseAmount({ what: 'getblock', coins: result.value })).toBe(amountRaw);
      }),
      { numRuns: 2_000 },
    );
  });

  it('loses digits as a plain number, and is refused rather than wrong', () => {
    const coins = JSON.parse('92233720.36854775') as number;
    expect(() => parseAmount({ what: 'getblock', coins })).toThrow(/expected an amount/);
    expect(parseAmount({ what: 'getblock', coins: 10_000_000_000 })).toBe(10n ** 18n);
  });

  it.each([-1, 0.123456789, Number.NaN, Infinity, '1e8', '12345678.123456789', '', '-5'])(
    'is not %j',
    (coins) => {
      expect(() => parseAmount({ what: 'getblock', coins })).toThrow(/expected an amount/);
    },
  );

  it('is at most what there can be', () => {
    expect(() => parseAmount({ what: 'getblock', coins: 21_000_001, coinsMax: 21e6 })).toThrow(
      /at most 21000000/,
    );
    expect(parseAmount({ what: 'getblock', coins: 21_000_000, coinsMax: 21e6 })).toBe(2_100_000_000_000_000n);
  });
});

describe('JSON of a node', () => {
  it.each<[string, unknown]>([
    [
      '{"a":"x: 123456789.5, [12345678.1","b":123456789.50000000}',
      { a: 'x: 123456789.5, [12345678.1', b: '123456789.50000000' },
    ],
    ['[12345678901234567,1]', ['12345678901234567', 1]],
    [String.raw`{"a":"\"","b": 99999999.00000001}`, { a: '"', b: '99999999.00000001' }],
    ['{"a":1234567.12345678,"b":123456789012345}', { a: 1234567.12345678, b: 123456789012345 }],
    ['{"a":123456789.5e3}', { a: 123456789500 }],
    ['no JSON', undefined],
  ])('%s', (text, value) => {
    expect(parseExactJson(text)).toEqual(value);
  });
});

it.each([2n ** 53n + 1n, 9_007_199_254_740_993n * 3n, 2n ** 63n - 1n])(
  'an output of a generated block of Dogecoin holds %s base units',
  (amountRaw) => {
    const traits = traitsOf('dogecoin');
    const script = `76a914${'07'.repeat(20)}88ac`;
    const coinbase = generateTransaction({ from: 'coinbase', scripts: [script], amountRaw });
    const { hash, bytes } = generateBlock([coinbase.hex], {
      traits,
      txids: [coinbase.txid],
      version: 0x620004,
    });
    const { transactions } = decodeBlock({ number: 5_000_000, hash }, bytes, traits);
    expect(transactions[0]!.utxo!.outputs).toEqual([{ matchKey: script, amountRaw }]);
  },
);
