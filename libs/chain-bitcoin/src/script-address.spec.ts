// SPDX-License-Identifier: Apache-2.0
import { existsSync, readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { address as bitcoinjs, networks as bitcoinjsNetworks } from 'bitcoinjs-lib';
import fc from 'fast-check';
import type { Network } from '@chainwatch/chain-core';
import { bitcoinNetworks, readTraits } from './networks.ts';
import { parseAddress } from './parse-address.ts';
import { findAddress, matchKeyOf } from './script-address.ts';
import { anyScript } from './spec-scripts.ts';

const networkOf = (name: string): Network =>
  bitcoinNetworks.find((network) => network.name === name) as Network;
const fixtures = new URL('../../../../shared/fixtures/bitcoin/', import.meta.url);
const itWithFixtures = existsSync(fixtures) ? it : it.skip;
if (!existsSync(fixtures))
  console.warn('../shared/fixtures/bitcoin is absent: addresses of real blocks are not checked');

describe('findAddress and matchKeyOf', () => {
  it('are each other back on every network, and the address is canonical there', () => {
    fc.assert(
      fc.property(fc.constantFrom(...bitcoinNetworks), anyScript, (network, script) => {
        const address = findAddress(network, script);
        if (address === undefined) {
          expect(isWritable(network, script)).toBe(false);
          return;
        }
        expect(matchKeyOf(address)).toBe(script);
        const parsed = parseAddress(address);
        expect(parsed.canonical).toBe(address);
        expect(parsed.networkGids).toContain(network.gid);
      }),
      { numRuns: 1_000 },
    );
  });

  it('agree with bitcoinjs-lib where it knows the form', () => {
    const known = anyScript.filter((script) => /^(76a914|a914|0014|0020|5120)/.test(script));
    const pairs = [
      ['bitcoin', bitcoinjsNetworks.bitcoin],
      ['bitcoin-testnet', bitcoinjsNetworks.testnet],
      ['bitcoin-regtest', bitcoinjsNetworks.regtest],
    ] as const;
    // bitcoinjs-lib asks whether a taproot key is on the curve, which the address does not say.
    const isTaproot = (script: string): boolean => script.startsWith('5120');
    fc.assert(
      fc.property(
        fc.constantFrom(...pairs),
        known.filter((script) => !isTaproot(script)),
        ([name, network], script) => {
          expect(findAddress(networkOf(name), script)).toBe(
            bitcoinjs.fromOutputScript(Buffer.from(script, 'hex'), network),
          );
        },
      ),
    );
  });

  it.each([
    ['nothing', ''],
    ['OP_RETURN', '6a0548656c6c6f'],
    ['P2PK, compressed', `21${'02'.repeat(33)}ac`],
    ['P2PK, uncompressed', `41${'04'.repeat(65)}ac`],
    ['bare multisig', `5121${'02'.repeat(33)}51ae`],
    ['P2PKH with something behind it', `76a914${'00'.repeat(20)}88ac51`],
    ['P2SH with another opcode', `a914${'00'.repeat(20)}88`],
    ['version 0 with 21 bytes', `0015${'00'.repeat(21)}`],
    ['a program of 1 byte', '510100'],
    ['a program of 41 bytes', `5129${'00'.repeat(41)}`],
    ['a push that ends too early', `5120${'00'.repeat(31)}`],
    ['OP_1NEGATE', `4f20${'00'.repeat(32)}`],
    ['OP_RESERVED', `5020${'00'.repeat(32)}`],
    ['OP_NOP', `6120${'00'.repeat(32)}`],
    ['a push of 2 bytes', '02abcd'],
  ])('find none for %s', (_name, script) => {
    for (const network of bitcoinNetworks) expect(findAddress(network, script)).toBeUndefined();
  });

  it.each([
    '',
    'bc1',
    'bcrt1',
    '1',
    'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t5',
    '0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed',
    'XbKzysY6LYGbsGwNG8B7K1BRoA1ffLodAT',
    'bitcoincash:qr6m7j9njldwwzlg9v7v53unlr4jkmx6eylep8ekg3',
  ])('give no script for %j', (text) => {
    expect(() => matchKeyOf(text)).toThrow(expect.objectContaining({ code: 'invalid_address' }) as Error);
  });

  itWithFixtures.each([
    ['bitcoin', 'mainnet-702861'],
    ['bitcoin', 'mainnet-333961'],
    ['bitcoin', 'mainnet-482683'],
    ['bitcoin-testnet', 'testnet3-924634'],
    ['bitcoin-signet', 'signet-31500'],
  ])('give every output of a real block of %s (%s) the address of its record', (name, file) => {
    const { tx } = JSON.parse(
      gunzipSync(readFileSync(new URL(`${file}.getblock-v2.json.gz`, fixtures))).toString(),
    ) as NodeBlock;
    for (const { scriptPubKey } of tx.flatMap(({ vout }) => vout)) {
      expect(findAddress(networkOf(name), scriptPubKey.hex)).toBe(scriptPubKey.address);
      if (scriptPubKey.address !== undefined) expect(matchKeyOf(scriptPubKey.address)).toBe(scriptPubKey.hex);
    }
  });
});

/** Every script but those of segwit where there is none, and those of the extension block. */
function isWritable(network: Network, script: string): boolean {
  if (/^(76a914|a914)/.test(script)) return true;
  const { bech32Hrp, mweb } = readTraits(network);
  return bech32Hrp !== undefined && (mweb === undefined || !/^5[89]20/.test(script));
}

interface NodeBlock {
  tx: { vout: { scriptPubKey: { hex: string; address?: string } }[] }[];
}
