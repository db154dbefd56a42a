// SPDX-License-Identifier: Apache-2.0
import { encodeCashAddress } from '@bitauth/libauth';
import fc from 'fast-check';
import { bitcoinFamily } from './bitcoin-family.ts';
import { bitcoinNetworks } from './networks.ts';
import { parseAddress } from './parse-address.ts';
import { findAddress, matchKeyOf } from './script-address.ts';
import { networkNamed } from './spec-fixtures.ts';
import { anyScript } from './spec-scripts.ts';

const bitcoin = networkNamed('bitcoin').gid;
const litecoin = networkNamed('litecoin').gid;
const dogecoin = networkNamed('dogecoin').gid;
const cash = networkNamed('bitcoin-cash').gid;

// The pairs of the CashAddr specification, section "Examples of address translation".
const KEY = [
  '1BpEi6DfDAUFd7GtittLSdBeYJvcoaVggu',
  'bitcoincash:qpm2qsznhks23z7629mms6s4cwef74vcwvy22gdx6a',
] as const;
const SCRIPT = [
  '3CWFddi6m4ndiGyKqzYvsFYagqDLPVMTzC',
  'bitcoincash:ppm2qsznhks23z7629mms6s4cwef74vcwvn0h829pq',
] as const;

describe('addresses of', () => {
  it.each<[string, string, string, readonly string[]]>([
    ['LTCPodha2LAxSyBGsGfkWcmKDEB8cWrqLU', 'LTCPodha2LAxSyBGsGfkWcmKDEB8cWrqLU', 'p2pkh', [litecoin]],
    ['MU5iLJNz5m4MAEtmjz5nbdJicJkdiHWnQR', 'MU5iLJNz5m4MAEtmjz5nbdJicJkdiHWnQR', 'p2sh', [litecoin]],
    [
      'LTC1QVQ6WNZ9969HPNWMLN866P2DSWNVHU4PL90H2YM',
      'ltc1qvq6wnz9969hpnwmln866p2dswnvhu4pl90h2ym',
      'p2wpkh',
      [litecoin],
    ],
    ['DF3VYGvdkMpr8372DqsPnc2keByT7tSiQ6', 'DF3VYGvdkMpr8372DqsPnc2keByT7tSiQ6', 'p2pkh', [dogecoin]],
    [KEY[1], KEY[1], 'p2pkh', [cash]],
    [KEY[1].toUpperCase(), KEY[1], 'p2pkh', [cash]],
    [KEY[1].slice(12), KEY[1], 'p2pkh', [cash]],
    [KEY[1].slice(12).toUpperCase(), KEY[1], 'p2pkh', [cash]],
    [SCRIPT[1], SCRIPT[1], 'p2sh', [cash]],
    // Of the same key and script, for whoever takes tokens as well.
    [
      'bitcoincash:zr6m7j9njldwwzlg9v7v53unlr4jkmx6eycnjehshe',
      'bitcoincash:qr6m7j9njldwwzlg9v7v53unlr4jkmx6eylep8ekg2',
      'p2pkh',
      [cash],
    ],
  ])('%s', (input, canonical, format, networkGids) => {
    expect(parseAddress(input)).toEqual({ canonical, display: canonical, format, networkGids });
    expect(parseAddress(canonical)).toEqual({ canonical, display: canonical, format, networkGids });
  });

  it('Bitcoin are as they were, and named as the other networks write them', () => {
    expect(parseAddress(KEY[0])).toEqual({
      ...{ canonical: KEY[0], display: KEY[0], format: 'p2pkh', networkGids: [bitcoin] },
      others: [{ canonical: KEY[1], display: KEY[1], format: 'p2pkh', networkGids: [cash] }],
    });
    const old = findAddress(networkNamed('litecoin'), matchKeyOf(SCRIPT[0]))!;
    expect(old).toMatch(/^M/);
    expect(parseAddress(SCRIPT[0])).toEqual({
      ...{ canonical: SCRIPT[0], display: SCRIPT[0], format: 'p2sh', networkGids: [bitcoin] },
      others: [
        { canonical: old, display: old, format: 'p2sh', networkGids: [litecoin] },
        { canonical: SCRIPT[1], display: SCRIPT[1], format: 'p2sh', networkGids: [cash] },
      ],
    });
    for (const name of ['bitcoin', 'litecoin', 'bitcoin-cash'])
      expect(matchKeyOf(findAddress(networkNamed(name), matchKeyOf(SCRIPT[0]))!)).toBe(matchKeyOf(SCRIPT[0]));
  });

  it('one text count on the networks that write it, and on no other', () => {
    fc.assert(
      fc.property(fc.constantFrom(...bitcoinNetworks), anyScript, (network, script) => {
        const address = findAddress(network, script);
        fc.pre(address !== undefined);
        const writers = bitcoinNetworks.filter((each) => findAddress(each, script) === address);
        expect(parseAddress(address).networkGids).toEqual(writers.map(({ gid }) => gid));
      }),
      { numRuns: 500 },
    );
  });

  it('scripts with a hash of 32 bytes (P2SH32) are those of libauth', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 32, maxLength: 32 }), (payload) => {
        const encode = (type: 'p2sh' | 'p2shWithTokens'): string => {
          const encoded = encodeCashAddress({ payload, prefix: 'bitcoincash', type });
          return typeof encoded === 'string' ? encoded : encoded.address;
        };
        const script = `aa20${Buffer.from(payload).toString('hex')}87`;
        const address = encode('p2sh');
        expect(findAddress(networkNamed('bitcoin-cash'), script)).toBe(address);
        expect(findAddress(networkNamed('bitcoin'), script)).toBeUndefined();
        for (const spelling of [address, address.slice(12), encode('p2shWithTokens')])
          expect(parseAddress(spelling)).toEqual({
            canonical: address,
            display: address,
            format: 'p2sh32',
            networkGids: [cash],
          });
        expect(matchKeyOf(address)).toBe(script);
      }),
      { numRuns: 50 },
    );
  });

  it.each([
    [
      // Of Litecoin Core's tests.
      'ltcmweb1qq20e2arnhvxw97katjkmsd35agw3capxjkrkh7dk8d30rczm8ypxuq329nwh2twmchhqn3jqh7ua4ps539f6aazh79jy76urqht4qa59ts3at6gf',
      'extension block (MWEB), whose payments nobody but the receiver can see: expected another address of Litecoin',
    ],
    [
      'bchtest:pr6m7j9njldwwzlg9v7v53unlr4jkmx6eyvwc0uz5t',
      'expected the prefix bitcoincash:, got "bchtest:"',
    ],
    ['bitcoincash:qr6m7j9njldwwzlg9v7v53unlr4jkmx6eylep8ekg3', 'checksum (CashAddr) is wrong'],
    ['qr6m7j9njldwwzlg9v7v53unlr4jkmx6eylep8ekg3', 'checksum (CashAddr) is wrong'],
    ['BitcoinCash:qr6m7j9njldwwzlg9v7v53unlr4jkmx6eylep8ekg2', 'mixed case'],
    // Keys have 20 bytes, not 32.
    ['bitcoincash:qvch8mmxy0rtfrlarg7ucrxxfzds5pamg73h7370aa87d80gyhqxq5nlegake', 'unknown type'],
    ['nUqKQtZkcDR28K6aAeVuFeFY5pYZtf92ht', 'got 0x71 (Dogecoin Testnet)'],
  ])('%s are refused', (input, text) => {
    expect(() => parseAddress(input)).toThrow(text);
  });

  it('nobody are burn addresses on every network that reads them', () => {
    expect(bitcoinFamily.burnAddresses).toHaveLength(4);
    for (const address of bitcoinFamily.burnAddresses!) expect(parseAddress(address).canonical).toBe(address);
  });
});
