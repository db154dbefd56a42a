import { encodeBase58Check, parseBase58, parseBase58Check } from './base58.ts';

const shape = { bytes: 21, characters: [26, 35] } as const;

describe('Base58', () => {
  it('reads what it wrote', () => {
    const payload = Uint8Array.of(0x41, ...new Uint8Array(20).fill(7));
    expect(parseBase58Check(encodeBase58Check(payload), shape)).toEqual(payload);
  });

  it.each([
    ['a checksum', '1BvBMSEYstWetqTFn5Au4m4GFg7xJaNVN3', 'expected [0-9a-f]{8}, got [0-9a-f]{8}$'],
    [
      'a length',
      '1BvBMSEYstWetqTFn5Au4m4GFg7xJa',
      'expected 25 bytes in 26 to 35 characters \\(Base58Check\\), got 2\\d bytes in 30 characters',
    ],
    ['a character', 'l', 'got "l" as character 1'],
  ])('names %s that is wrong', (_what, text, message) => {
    expect(() => parseBase58Check(text, shape)).toThrow(new RegExp(message));
  });

  it('knows no checksum where there is none', () => {
    expect(parseBase58('11', { bytes: 2, characters: [2, 2] })).toEqual(Uint8Array.of(0, 0));
  });
});
