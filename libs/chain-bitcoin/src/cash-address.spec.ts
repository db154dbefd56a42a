// SPDX-License-Identifier: Apache-2.0
import {
  CashAddressType,
  decodeCashAddress as decodeElsewhere,
  encodeCashAddress as encodeElsewhere,
} from '@bitauth/libauth';
import fc from 'fast-check';
import { decodeCashAddress, encodeCashAddress } from './cash-address.ts';
import vectors from './vectors/cashaddr.json' with { type: 'json' };

const anyHash = fc.uint8Array({ minLength: 20, maxLength: 20 });

describe('CashAddr', () => {
  it.each(vectors.vectors)('reads and writes $address', ({ address, type, hash }) => {
    const [prefix, payload] = address.split(':') as [string, string];
    expect(decodeCashAddress(prefix, payload)).toEqual({ type, hash: Buffer.from(hash, 'hex') });
    expect(decodeCashAddress(prefix, payload.toUpperCase()).hash.toString('hex')).toBe(hash);
    expect(encodeCashAddress(prefix, { type, hash: Buffer.from(hash, 'hex') })).toBe(address);
  });

  it('is what libauth writes and reads', () => {
    const types = [
      CashAddressType.p2pkh,
      CashAddressType.p2sh,
      CashAddressType.p2pkhWithTokens,
      CashAddressType.p2shWithTokens,
    ];
    fc.assert(
      fc.property(anyHash, fc.nat(3), fc.constantFrom('bitcoincash', 'bchtest'), (payload, type, prefix) => {
        const encoded = encodeElsewhere({ payload, prefix, type: types[type]! });
        const address = typeof encoded === 'string' ? encoded : encoded.address;
        expect(encodeCashAddress(prefix, { type, hash: Buffer.from(payload) })).toBe(address);
        const read = decodeElsewhere(address);
        expect(typeof read === 'string' ? read : read.payload).toEqual(payload);
      }),
    );
  });

  it('refuses up to five changed characters, and another prefix', () => {
    const change = fc.record({ at: fc.nat(), to: fc.constantFrom(...'qpzry9x8gf2tvdw0s3jn54khce6mua7l') });
    fc.assert(
      fc.property(anyHash, fc.array(change, { minLength: 1, maxLength: 5 }), (hash, changes) => {
        const payload = encodeCashAddress('bitcoincash', { type: 0, hash: Buffer.from(hash) }).slice(12);
        const characters = [...payload];
        for (const { at, to } of changes) characters[at % characters.length] = to;
        fc.pre(characters.join('') !== payload);
        expect(() => decodeCashAddress('bitcoincash', characters.join(''))).toThrow(
          /checksum|version or length|padding/,
        );
        expect(() => decodeCashAddress('bchtest', payload)).toThrow(/checksum/);
      }),
    );
  });

  it.each([
    ['', /wrong length/],
    ['qqqqqqqq', /wrong length/],
    ['qr6m7j9njldwwzlg9v7v53unlr4jkmx6eylep8ekgb', /illegal character.*got "b"/],
    ['Qr6m7j9njldwwzlg9v7v53unlr4jkmx6eylep8ekg2', /mixed case/],
    ['qr6m7j9njldwwzlg9v7v53unlr4jkmx6eylep8ekg3', /checksum/],
  ])('says what is wrong with %j', (payload, message) => {
    expect(() => decodeCashAddress('bitcoincash', payload)).toThrow(message);
  });
});
