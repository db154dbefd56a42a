// SPDX-License-Identifier: Apache-2.0
import { base58 } from '@scure/base';
import fc from 'fast-check';
import type { Network } from '@chainwatch/chain-core';
import { solanaNetworks } from './networks.ts';
import { parseAddress, parseAssetPath } from './solana-family.ts';

const anyKey = fc.uint8Array({ minLength: 32, maxLength: 32 });
const networkOf = (name: string): Network =>
  solanaNetworks.find((network) => network.name === name) as Network;
const usdc = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v';

describe('parseAddress', () => {
  it.each([
    ['the system program', '11111111111111111111111111111111'],
    ['the token program', 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA'],
    ['a mint', usdc],
    ['a sysvar', 'SysvarC1ock11111111111111111111111111111111'],
    ['an authority derived by a program, off the curve', '5Q544fKrFoe6tsEbD7S8EmxGTJYAKtTVhAW5Q5pge4j1'],
  ])('reads %s as it is', (_name, address) => {
    expect(parseAddress(address)).toEqual({ canonical: address, display: address, format: 'solana' });
  });

  it('reads every 32 bytes, and no other count', () => {
    fc.assert(
      fc.property(anyKey, (key) => {
        const address = base58.encode(key);
        expect(parseAddress(address).canonical).toBe(address);
        expect(() => parseAddress(`1${address}`)).toThrow('address has a wrong length');
        expect(() => parseAddress(base58.encode(key.subarray(1)))).toThrow('address has a wrong length');
      }),
    );
  });

  it.each([
    ['', 'expected 32 to 44 characters (Base58), got 0'],
    [
      'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt',
      'expected 32 bytes in 32 to 44 characters (Base58), got 31 bytes',
    ],
    ['EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v1', 'expected 32 to 44 characters (Base58), got 45'],
    [
      'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt0v',
      'expected letters and digits other than 0, O, I and l (Base58), got "0" as character 43',
    ],
    ['EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDtlv', 'got "l" as character 43'],
    [' EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v', 'got " " as character 1'],
    ['0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed', 'got "0" as character 1'],
    [
      '5Q544fKrFoe6tsEbD7S8EmxGTJYAKtTVhAW5Q5pge4j15Q544fKrFoe6tsEbD7S8EmxGTJYAKtTVhAW5Q5pge4j1',
      'expected 32 to 44 characters (Base58), got 88',
    ],
    ['1'.repeat(5_000), '(Base58), got 5000'],
  ])('says what is wrong with %j', (input, text) => {
    expect(() => parseAddress(input)).toThrow(
      expect.objectContaining({ code: 'invalid_address', retryable: false }) as Error,
    );
    expect(() => parseAddress(input)).toThrow(text);
  });

  it('answers every text with an address or an InvalidAddressError', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 120 }), (text) => {
        expect(() => parseAddress(text)).toThrow(
          expect.objectContaining({ code: 'invalid_address' }) as Error,
        );
      }),
    );
  });
});

describe('parseAssetPath', () => {
  it.each([
    ['solana', 'slip44:501', 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp/slip44:501'],
    ['solana-devnet', 'slip44:1', 'solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1/slip44:1'],
    ['solana-devnet', 'slip44:501', 'solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1/slip44:1'],
    ['solana', `token:${usdc}`, `solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp/token:${usdc}`],
  ])('on %s reads %s', (network, path, gid) => {
    expect(parseAssetPath(networkOf(network), path)).toBe(gid);
  });

  it.each([
    ['slip44:1', 'expected slip44:501'],
    [`erc20:${usdc}`, 'expected slip44:<coin> or token:<mint>'],
    ['token:x0', 'got "0" as character 2'],
    ['', 'expected slip44'],
  ])('refuses %j', (path, text) => {
    expect(() => parseAssetPath(networkOf('solana'), path)).toThrow(
      expect.objectContaining({ code: 'invalid_asset' }) as Error,
    );
    expect(() => parseAssetPath(networkOf('solana'), path)).toThrow(text);
  });
});
