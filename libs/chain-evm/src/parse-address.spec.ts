// SPDX-License-Identifier: Apache-2.0
import fc from 'fast-check';
import { getAddress } from 'viem';
import type { Network } from '@chainwatch/chain-core';
import { evmNetworks } from './networks.ts';
import { parseAddress, parseAssetPath } from './evm-family.ts';
import eip55 from './vectors/eip55.json' with { type: 'json' };

const anyAddress = fc
  .uint8Array({ minLength: 20, maxLength: 20 })
  .map((bytes) => `0x${Buffer.from(bytes).toString('hex')}`);
const networkOf = (name: string): Network => evmNetworks.find((network) => network.name === name) as Network;

describe('parseAddress', () => {
  it('accepts lower case, upper case and EIP-55, with one canonical form', () => {
    fc.assert(
      fc.property(anyAddress, (lower) => {
        const expected = { canonical: lower, display: getAddress(lower), format: 'evm' };
        for (const input of [
          lower,
          `0x${lower.slice(2).toUpperCase()}`,
          `0X${lower.slice(2)}`,
          getAddress(lower),
        ]) {
          expect(parseAddress(input)).toEqual(expected);
        }
      }),
    );
  });

  it.each(eip55.addresses)('reads %s of EIP-55 as it is', (address) => {
    expect(parseAddress(address)).toEqual({
      canonical: address.toLowerCase(),
      display: address,
      format: 'evm',
    });
  });

  it('refuses any one digit in the other case', () => {
    fc.assert(
      fc.property(fc.constantFrom(...eip55.normal), fc.integer({ min: 2, max: 41 }), (address, at) => {
        const digit = address.charAt(at);
        const flipped = digit === digit.toLowerCase() ? digit.toUpperCase() : digit.toLowerCase();
        fc.pre(flipped !== digit);
        expect(() => parseAddress(address.slice(0, at) + flipped + address.slice(at + 1))).toThrow(
          `expected ${address}, got `,
        );
      }),
    );
  });

  it('refuses a wrong checksum and says the right one', () => {
    const right = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed';
    const wrong = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAeD';
    expect(() => parseAddress(wrong)).toThrow(`expected ${right}, got ${wrong}`);
    expect(parseAddress(right).display).toBe(right);
  });

  it.each([
    ['', 'got no 0x prefix'],
    ['5aaeb6053f3e94c9b9a09f33669435e7ef1beaed', 'got no 0x prefix'],
    ['0x5aaeb6053f3e94c9b9a09f33669435e7ef1beae', 'got 39 digits'],
    ['0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed0', 'got 41 digits'],
    [`0x${'g'.repeat(40)}`, 'got "g" as character 3'],
    ['0x5aaeb6053f3e94c9b9a09f33669435e7ef1beae ', 'got " " as character 42'],
    ['0x5aaeb6053f3e94c9b9a09f33669435e7ef1beO', 'got "O" as character 40'],
    ['TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t', 'got no 0x prefix'],
    [' 0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed', 'got no 0x prefix'],
  ])('refuses %j', (input, text) => {
    expect(() => parseAddress(input)).toThrow(
      expect.objectContaining({ code: 'invalid_address', retryable: false }) as Error,
    );
    expect(() => parseAddress(input)).toThrow(text);
  });
});

describe('parseAssetPath', () => {
  const token = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed';

  it.each([
    ['ethereum', 'slip44:60', 'eip155:1/slip44:60'],
    ['ethereum', `erc20:${token}`, `eip155:1/erc20:${token.toLowerCase()}`],
    ['bsc', `erc20:${token}`, `eip155:56/bep20:${token.toLowerCase()}`],
    ['bsc', `bep20:${token.toLowerCase()}`, `eip155:56/bep20:${token.toLowerCase()}`],
    ['bsc', 'slip44:714', 'eip155:56/slip44:9006'],
    ['avalanche', 'slip44:9000', 'eip155:43114/slip44:9005'],
    ['avalanche-fuji', 'slip44:9005', 'eip155:43113/slip44:1'],
    ['avalanche-fuji', 'slip44:9000', 'eip155:43113/slip44:1'],
    ['sepolia', 'slip44:1', 'eip155:11155111/slip44:1'],
  ])('on %s reads %s', (network, path, gid) => {
    expect(parseAssetPath(networkOf(network), path)).toBe(gid);
  });

  it.each([
    ['ethereum', 'slip44:0', 'expected slip44:60'],
    ['ethereum', `bep20:${token}`, 'expected slip44:<coin> or erc20:<address>'],
    ['ethereum', 'erc20:0x12', 'got 2 digits'],
    ['ethereum', 'erc20:0xzz', 'got "z" as character 3'],
    ['ethereum', 'erc20', 'expected slip44'],
    ['ethereum', '', 'expected slip44'],
    ['ethereum', 'erc20:0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAeD', 'checksum'],
  ])('on %s refuses %j', (network, path, text) => {
    expect(() => parseAssetPath(networkOf(network), path)).toThrow(
      expect.objectContaining({ code: 'invalid_asset' }) as Error,
    );
    expect(() => parseAssetPath(networkOf(network), path)).toThrow(text);
  });
});
