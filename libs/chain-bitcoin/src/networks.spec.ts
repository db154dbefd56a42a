// SPDX-License-Identifier: Apache-2.0
import { bitcoinNetworks, readTraits } from './networks.ts';
import { parseHeader } from './parse-header.ts';
import { networkNamed } from './spec-fixtures.ts';

/** Version 1, no parent, merkle root, time, bits, nonce: chainparams.cpp of each node. */
const genesis: Readonly<
  Record<string, readonly [merkleRoot: string, time: number, bits: number, nonce: number]>
> = {
  bitcoin: [
    '4a5e1e4baab89f3a32518a88c31bc87f618f76673e2cc77ab2127b7afdeda33b',
    1231006505,
    0x1d00ffff,
    2083236893,
  ],
  'bitcoin-testnet': [
    '4a5e1e4baab89f3a32518a88c31bc87f618f76673e2cc77ab2127b7afdeda33b',
    1296688602,
    0x1d00ffff,
    414098458,
  ],
  'bitcoin-testnet4': [
    '7aa0a7ae1e223414cb807e40cd57e667b718e42aaf9306db9102fe28912b7b4e',
    1714777860,
    0x1d00ffff,
    393743547,
  ],
  'bitcoin-signet': [
    '4a5e1e4baab89f3a32518a88c31bc87f618f76673e2cc77ab2127b7afdeda33b',
    1598918400,
    0x1e0377ae,
    52613770,
  ],
  'bitcoin-regtest': [
    '4a5e1e4baab89f3a32518a88c31bc87f618f76673e2cc77ab2127b7afdeda33b',
    1296688602,
    0x207fffff,
    2,
  ],
  litecoin: [
    '97ddfbbae6be97fd6cdf3e7ca13232a3afff2353e29badfab7f73011edd4ced9',
    1317972665,
    0x1e0ffff0,
    2084524493,
  ],
  dogecoin: [
    '5b2a3f53f605d62c53e62932dac6925e3d74afa5a4b459745c36d42d0ed26a69',
    1386325540,
    0x1e0ffff0,
    99943,
  ],
};

/** The first blocks after a split: both have the same parent. Version, merkle root, time, nonce. */
const split: Readonly<
  Record<string, readonly [version: number, merkleRoot: string, time: number, nonce: number]>
> = {
  bitcoin: [
    0x20000002,
    '5fa62e1865455037450b7275d838d04f00230556129a4e86621a6bc4ad318c18',
    1501593780,
    0xb78dbdba,
  ],
  'bitcoin-cash': [
    0x20000000,
    'c896c91a0be4d3eed5568bab4c3084945e5e06669be38ec06b1c8ca4d84baaab',
    1501611161,
    0xe84aca22,
  ],
};
const parent = '0000000000000000011865af4122fe3b144e2cbeea86142e8ff2fb4107352d43';
const bits = 0x18014735;

interface HeaderFields {
  readonly version: number;
  readonly parentHash: string;
  readonly merkleRoot: string;
  readonly numbers: readonly number[];
}

function writeHeader({ version, parentHash, merkleRoot, numbers }: HeaderFields): Buffer {
  const bytes = Buffer.alloc(80);
  bytes.writeUInt32LE(version, 0);
  bytes.set(Buffer.from(parentHash, 'hex').reverse(), 4);
  bytes.set(Buffer.from(merkleRoot, 'hex').reverse(), 36);
  numbers.forEach((value, index) => bytes.writeUInt32LE(value, 68 + 4 * index));
  return bytes;
}

describe('the block by which nodes of a network are known', () => {
  it.each(Object.entries(genesis))('%s: is its genesis block', (name, [merkleRoot, ...numbers]) => {
    const network = networkNamed(name);
    const parentHash = '00'.repeat(32);
    const traits = readTraits(network);
    const [first] = traits.identity;
    expect(first!.height).toBe(0);
    expect(parseHeader(writeHeader({ version: 1, parentHash, merkleRoot, numbers }), traits)).toMatchObject({
      hash: first!.hash,
      timestamp: numbers[0],
      parentHash,
    });
    expect(network.gid).toBe(`bip122:${first!.hash.slice(0, 32)}`);
  });

  it.each(Object.entries(split))(
    '%s: is its own one after a split',
    (name, [version, merkleRoot, time, nonce]) => {
      const traits = readTraits(networkNamed(name));
      const header = writeHeader({ version, parentHash: parent, merkleRoot, numbers: [time, bits, nonce] });
      const { hash } = parseHeader(header, traits);
      expect(traits.identity).toContainEqual({ height: 478_559, hash });
    },
  );

  it('is named by the gid', () => {
    expect([...Object.keys(genesis), 'bitcoin-cash'].sort()).toEqual(
      bitcoinNetworks.map(({ name }) => name).sort(),
    );
    for (const network of bitcoinNetworks)
      expect(readTraits(network).identity.map(({ hash }) => hash.slice(0, 32))).toContain(network.reference);
  });

  it('another kind of network is not known', () => {
    expect(() => readTraits({ ...bitcoinNetworks[0]!, traits: undefined })).toThrow();
  });
});
