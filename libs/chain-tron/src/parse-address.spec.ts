// SPDX-License-Identifier: Apache-2.0
import fc from 'fast-check';
import { getAddress } from 'viem';
import type { Network } from '@chainwatch/chain-core';
import { tronNetworks } from './networks.ts';
import { parseAddress, parseAssetPath } from './tron-family.ts';
import vectors from './vectors/addresses.json' with { type: 'json' };

const anyHash = fc
  .uint8Array({ minLength: 20, maxLength: 20 })
  .map((bytes) => Buffer.from(bytes).toString('hex'));
const networkOf = (name: string): Network => tronNetworks.find((network) => network.name === name) as Network;
const usdt = 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t';

describe('parseAddress', () => {
  it.each(vectors.valid)('reads %s and %s as one', (base58 = '', hex = '') => {
    for (const input of [
      base58,
      hex,
      hex.toUpperCase(),
      `0x${hex.slice(2)}`,
      `0x${hex.slice(2).toUpperCase()}`,
      getAddress(`0x${hex.slice(2)}`),
    ]) {
      expect(parseAddress(input)).toEqual({ canonical: base58, display: base58, format: 'tron' });
    }
  });

  it('gives every account one canonical form that it reads again', () => {
    fc.assert(
      fc.property(anyHash, (hash) => {
        const { canonical } = parseAddress(`41${hash}`);
        expect(canonical).toMatch(/^T[1-9A-HJ-NP-Za-km-z]{33}$/);
        for (const input of [canonical, `0x${hash}`, getAddress(`0x${hash}`)])
          expect(parseAddress(input).canonical).toBe(canonical);
      }),
    );
  });

  it('refuses any one changed character of the canonical form', () => {
    const characters = '123456789abcdefghijkmnopqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ0OIl';
    fc.assert(
      fc.property(anyHash, fc.nat({ max: 33 }), fc.constantFrom(...characters), (hash, at, character) => {
        const { canonical } = parseAddress(`41${hash}`);
        fc.pre(canonical[at] !== character);
        const corrupted = canonical.slice(0, at) + character + canonical.slice(at + 1);
        expect(() => parseAddress(corrupted)).toThrow(
          expect.objectContaining({ code: 'invalid_address' }) as Error,
        );
      }),
      { numRuns: 1_000 },
    );
  });

  it.each([
    ['', 'expected 34 characters (Base58Check), got 0'],
    ['TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6u', 'checksum (Base58Check) is wrong: expected '],
    ['TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj', 'expected 34 characters (Base58Check), got 32'],
    ['TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj0t', 'got "0" as character 33'],
    [' TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t', 'got " " as character 1'],
    ['1BvBMSEYstWetqTFn5Au4m4GFg7xJaNVN2', 'expected the version byte 0x41 (TRON), got 0x00'],
    ['0xa614f803b6fd780986a42c78ec9c7f77e6ded13', 'expected 0x and 40 hexadecimal digits, got 39'],
    ['0xa614f803b6fd780986a42c78ec9c7f77e6ded13g', 'got "g" as character 42'],
    [
      '0xa614f803B6FD780986a42c78ec9c7f77e6ded13c',
      'checksum (EIP-55) is wrong: expected 0xa614f803B6FD780986A42c78Ec9c7f77e6DeD13C',
    ],
    ['41a614f803b6fd780986a42c78ec9c7f77e6ded13', 'expected 41 and 40 hexadecimal digits, got 39'],
    ['41a614f803b6fd780986a42c78ec9c7f77e6dedxyz', 'got "x" as character 40'],
    ['a0a614f803b6fd780986a42c78ec9c7f77e6ded13c', 'expected the version byte 0x41 (TRON), got 0xa0'],
    ['T'.repeat(5_000), '(Base58Check), got 5000'],
  ])('says what is wrong with %j', (input, text) => {
    expect(() => parseAddress(input)).toThrow(
      expect.objectContaining({ code: 'invalid_address', retryable: false }) as Error,
    );
    expect(() => parseAddress(input)).toThrow(text);
  });

  it('answers every text with an address or an InvalidAddressError', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string({ unit: 'binary', maxLength: 120 }),
          fc.string().map((text) => `T${text}`),
          fc.string().map((text) => `0x${text}`),
        ),
        (text) => {
          expect(() => parseAddress(text)).toThrow(
            expect.objectContaining({ code: 'invalid_address' }) as Error,
          );
        },
      ),
    );
  });
});

describe('parseAssetPath', () => {
  it.each([
    ['tron', 'slip44:195', 'tron:0x2b6653dc/slip44:195'],
    ['tron-nile', 'slip44:1', 'tron:0xcd8690dc/slip44:1'],
    ['tron-nile', 'slip44:195', 'tron:0xcd8690dc/slip44:1'],
    ['tron', `trc20:${usdt}`, `tron:0x2b6653dc/trc20:${usdt}`],
    ['tron', 'trc20:41a614f803b6fd780986a42c78ec9c7f77e6ded13c', `tron:0x2b6653dc/trc20:${usdt}`],
    ['tron', 'TRC20:0xa614f803b6fd780986a42c78ec9c7f77e6ded13c', `tron:0x2b6653dc/trc20:${usdt}`],
    ['tron', 'trc10:1002000', 'tron:0x2b6653dc/trc10:1002000'],
  ])('on %s reads %s', (network, path, gid) => {
    expect(parseAssetPath(networkOf(network), path)).toBe(gid);
  });

  it.each([
    ['slip44:60', 'expected slip44:195'],
    [
      'erc20:0xa614f803b6fd780986a42c78ec9c7f77e6ded13c',
      'expected slip44:<coin> or trc20:<address> or trc10:<id>',
    ],
    ['trc20:TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6u', 'checksum'],
    ['trc10:', 'expected a token id of 7 to 19 digits, got ""'],
    ['trc10:01002000', 'expected a token id'],
    ['trc10:abc', 'expected a token id'],
    ['', 'expected slip44'],
  ])('refuses %j', (path, text) => {
    expect(() => parseAssetPath(networkOf('tron'), path)).toThrow(
      expect.objectContaining({ code: 'invalid_asset' }) as Error,
    );
    expect(() => parseAssetPath(networkOf('tron'), path)).toThrow(text);
  });
});
