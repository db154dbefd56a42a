// SPDX-License-Identifier: Apache-2.0
import { checkBase58Text } from './untrusted-text.ts';

describe('checkBase58Text', () => {
  it('takes Base58 of the right length', () => {
    expect(() =>
      checkBase58Text('1BvBMSEYstWetqTFn5Au4m4GFg7xJaNVN2', [26, 35], 'Base58Check'),
    ).not.toThrow();
  });

  it.each<[string, readonly [number, number], string]>([
    ['', [26, 35], 'expected 26 to 35 characters (Base58Check), got 0'],
    ['1'.repeat(25), [26, 35], 'expected 26 to 35 characters (Base58Check), got 25'],
    ['1'.repeat(36), [26, 35], 'expected 26 to 35 characters (Base58Check), got 36'],
    ['1'.repeat(35), [34, 34], 'expected 34 characters (Base58Check), got 35'],
    ['11l', [3, 3], 'got "l" as character 3'],
    ['1\u{1f600}', [3, 3], 'got "\u{1f600}" as character 2'],
  ])('refuses %j', (input, characters, message) => {
    expect(() => checkBase58Text(input, characters, 'Base58Check')).toThrow(
      expect.objectContaining({
        code: 'invalid_address',
        message: expect.stringContaining(message),
      }) as Error,
    );
  });
});
