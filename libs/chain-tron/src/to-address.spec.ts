// SPDX-License-Identifier: Apache-2.0
import fc from 'fast-check';
import { utils } from 'tronweb';
import { findAddress, toAddress, toEvmAddress, toHexAddress } from './to-address.ts';

it('writes and reads addresses as tronweb does', () => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 20, maxLength: 20 }), (bytes) => {
      const hex = Buffer.from(bytes).toString('hex');
      const address = toAddress(hex);
      expect(address).toBe(utils.address.fromHex(`41${hex}`));
      expect(findAddress(Buffer.from(`41${hex}`, 'hex'))).toBe(address);
      expect([toHexAddress(address), toEvmAddress(address)]).toEqual([`41${hex}`, `0x${hex}`]);
    }),
  );
});

it('finds no address in other bytes than 21 that begin with 41', () => {
  for (const hex of ['', '41', `a0${'00'.repeat(20)}`, `41${'00'.repeat(19)}`, `41${'00'.repeat(21)}`])
    expect(findAddress(Buffer.from(hex, 'hex'))).toBeUndefined();
});
