import fc from 'fast-check';
import { decodeBalance, encodeBalanceCall } from './trc20-abi.ts';

describe('calls of TRC-20 contracts', () => {
  it('ask for the balance of an address', () => {
    expect(encodeBalanceCall('TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t')).toBe(
      `0x70a08231${'0'.repeat(24)}a614f803b6fd780986a42c78ec9c7f77e6ded13c`,
    );
  });

  it('answer with any number of 256 bits, whatever stands behind it', () => {
    fc.assert(
      fc.property(
        fc.bigInt({ min: 0n, max: 2n ** 256n - 1n }),
        fc.constantFrom('', '00', 'ff'.repeat(32)),
        (amount, rest) => {
          expect(decodeBalance(`0x${amount.toString(16).padStart(64, '0')}${rest}`)).toBe(amount);
        },
      ),
    );
  });

  it.each([undefined, '', '0x', '0x00', `0x${'0'.repeat(63)}`, `0x${'g'.repeat(64)}`, '0'.repeat(64)])(
    'answer nothing with %j',
    (result) => {
      expect(decodeBalance(result)).toBeUndefined();
    },
  );
});
