// SPDX-License-Identifier: Apache-2.0
import { bitcoinNetworks } from './networks.ts';
import { parseAssetPath } from './bitcoin-family.ts';

const main = bitcoinNetworks.find(({ name }) => name === 'bitcoin')!;

describe('parseAssetPath', () => {
  it.each(['slip44:0', 'SLIP44:0'])('reads %s as the native coin', (path) => {
    expect(parseAssetPath(main, path)).toBe(main.native!.gid);
  });

  it.each([
    ['slip44:1', 'expected slip44:0, got "slip44:1"'],
    ['erc20:0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed', 'expected slip44:<coin>'],
    ['', 'expected slip44:<coin>'],
  ])('refuses %j', (path, text) => {
    expect(() => parseAssetPath(main, path)).toThrow(
      expect.objectContaining({ code: 'invalid_asset' }) as Error,
    );
    expect(() => parseAssetPath(main, path)).toThrow(text);
  });
});
