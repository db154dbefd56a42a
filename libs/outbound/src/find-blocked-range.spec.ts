import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { findBlockedRange, parseAllowList } from './find-blocked-range.ts';

const vectors = JSON.parse(readFileSync(new URL('./blocked.vectors.json', import.meta.url), 'utf8')) as {
  blocked_addresses: string[];
  public_addresses: string[];
};

describe('findBlockedRange', () => {
  test.each(vectors.blocked_addresses)('blocks %s', (address) => {
    expect(findBlockedRange(address, [])).toEqual(expect.any(String));
  });

  test.each(vectors.public_addresses)('lets %s pass', (address) => {
    expect(findBlockedRange(address, [])).toBeUndefined();
  });

  test('blocks what is no address', () => {
    for (const text of ['', 'localhost', '1.2.3', '256.1.1.1', 'fe80:::1'])
      expect(findBlockedRange(text, [])).toBeDefined();
  });

  test('lets the operator allow a range and nothing beside it', () => {
    const allow = parseAllowList(['127.0.0.0/8', '::1/128', 'fd00::/8']);
    for (const address of ['127.0.0.1', '127.9.9.9', '::1', 'fd00::1'])
      expect(findBlockedRange(address, allow)).toBeUndefined();
    for (const address of [
      '10.0.0.1',
      '::2',
      'fc00::1',
      '169.254.169.254',
      '::ffff:127.0.0.1',
      '::127.0.0.1',
      '2002:7f00:1::1',
    ]) {
      expect(findBlockedRange(address, allow)).toBeDefined();
    }
  });

  test('checks the IPv4 address inside an allowed translation prefix', () => {
    const allow = parseAllowList(['64:ff9b::/96', '2002::/16', '2001::/32', '::ffff:0:0/96']);
    expect(findBlockedRange('64:ff9b::808:808', allow)).toBeUndefined();
    expect(findBlockedRange('::ffff:8.8.8.8', allow)).toBeUndefined();
    expect(findBlockedRange('2002:808:808::1', allow)).toBeUndefined();
    for (const address of [
      '64:ff9b::7f00:1',
      '64:ff9b::a9fe:a9fe',
      '::ffff:10.0.0.1',
      '2002:7f00:1::1',
      '2001:0:808:808:0:0:80ff:fffe',
    ]) {
      expect(findBlockedRange(address, allow)).toBeDefined();
    }
  });

  test('takes a bare address as a range of one', () => {
    const allow = parseAllowList(['127.0.0.1', '::1']);
    expect(findBlockedRange('127.0.0.1', allow)).toBeUndefined();
    expect(findBlockedRange('::1', allow)).toBeUndefined();
    expect(findBlockedRange('127.0.0.2', allow)).toBe('loopback');
  });

  test('says which entry of the allow list is no range', () => {
    expect(() => parseAllowList(['127.0.0.0/8', 'localhost'])).toThrow('got localhost');
  });

  test('blocks every IPv6 form that carries any IPv4 address', () => {
    fc.assert(
      fc.property(fc.ipV4(), fc.constantFrom('::ffff:', '64:ff9b::', '::ffff:0:'), (ipv4, prefix) => {
        expect(findBlockedRange(`${prefix}${ipv4}`, [])).toBeDefined();
      }),
    );
  });
});
