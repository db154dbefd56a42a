import { bitcoinNetworks, readTraits } from './networks.ts';
import { parseHeader } from './parse-header.ts';

/** Version 1, no parent, merkle root, time, bits, nonce: chainparams.cpp of Bitcoin Core. */
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
};

describe('the genesis block of', () => {
  it.each(bitcoinNetworks.map((network) => [network.name, network] as const))(
    '%s has the hash by which its nodes are known',
    (name, network) => {
      const [merkleRoot, time, bits, nonce] = genesis[name]!;
      const bytes = Buffer.alloc(80);
      bytes.writeUInt32LE(1, 0);
      bytes.set(Buffer.from(merkleRoot, 'hex').reverse(), 36);
      [time, bits, nonce].forEach((value, index) => bytes.writeUInt32LE(value, 68 + 4 * index));
      const { genesisHash } = readTraits(network);
      expect(parseHeader(bytes)).toMatchObject({
        hash: genesisHash,
        timestamp: time,
        parentHash: '00'.repeat(32),
      });
      expect(network.gid).toBe(`bip122:${genesisHash.slice(0, 32)}`);
    },
  );

  it('another kind of network is not known', () => {
    expect(() => readTraits({ ...bitcoinNetworks[0]!, traits: undefined })).toThrow();
  });
});
