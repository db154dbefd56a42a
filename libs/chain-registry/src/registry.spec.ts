// SPDX-License-Identifier: Apache-2.0
import { findFamily, findNetwork, findNotation, listNetworks, normalizeChainGid } from './index.ts';

/** decisions.md, section 2: every alias of the RPC gateway and the chain it stands for. */
const aliases: Readonly<Record<string, readonly string[]>> = {
  'eip155:1': ['ethereum', 'eth', 'eth-mainnet', 'ethereum-mainnet'],
  'eip155:11155111': ['sepolia', 'eth-sepolia'],
  'eip155:56': ['bsc', 'bnb', 'bsc-mainnet'],
  'eip155:97': ['bsc-testnet'],
  'eip155:137': ['polygon', 'matic', 'polygon-mainnet'],
  'eip155:80002': ['polygon-amoy'],
  'eip155:42161': ['arbitrum', 'arb-mainnet'],
  'eip155:421614': ['arbitrum-sepolia'],
  'eip155:10': ['optimism', 'opt-mainnet'],
  'eip155:11155420': ['optimism-sepolia'],
  'eip155:8453': ['base', 'base-mainnet'],
  'eip155:84532': ['base-sepolia'],
  'eip155:43114': ['avalanche'],
  'eip155:43113': ['avalanche-fuji', 'fuji', 'avax-fuji'],
  'eip155:59144': ['linea'],
  'eip155:59141': ['linea-sepolia'],
  'eip155:100': ['gnosis'],
  'eip155:10200': ['chiado', 'gnosis-chiado'],
  'eip155:42220': ['celo'],
  'eip155:534352': ['scroll'],
  'eip155:130': ['unichain'],
  'eip155:480': ['worldchain', 'world-chain'],
  'eip155:4326': ['megaeth'],
  'eip155:143': ['monad'],
  'eip155:9745': ['plasma'],
  'eip155:146': ['sonic'],
  'eip155:80094': ['berachain'],
  'eip155:999': ['hyperevm'],
  'eip155:5042': ['arc'],
  'bip122:000000000019d6689c085ae165831e93': ['bitcoin', 'btc', 'bitcoin-mainnet'],
  'bip122:000000000933ea01ad0ee984209779ba': ['bitcoin-testnet'],
  'bip122:00000000da84f2bafbbc53dee25a72ae': ['bitcoin-testnet4'],
  'bip122:00000008819873e925422c1ff0f99f7c': ['bitcoin-signet'],
  'bip122:0f9188f13cb7b2c71f2a335e3a4fc328': ['bitcoin-regtest'],
  'bip122:12a765e31ffd4059bada1e25190f6e98': ['litecoin', 'ltc', 'litecoin-mainnet'],
  'bip122:1a91e3dace36e2be3bf030a65679fe82': ['dogecoin', 'doge', 'dogecoin-mainnet'],
  'bip122:000000000000000000651ef99cb9fcbe': ['bitcoin-cash', 'bch', 'bitcoincash', 'bitcoin-cash-mainnet'],
  'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp': ['solana', 'solana-mainnet'],
  'solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1': ['solana-devnet'],
  'solana:4uhcVJyU9pJkvQyS88uRDiswHXSCkY3z': ['solana-testnet'],
  'tron:0x2b6653dc': ['tron', 'tron-mainnet'],
  'tron:0x94a9059e': ['tron-shasta'],
  'tron:0xcd8690dc': ['tron-nile'],
};

describe('findNetwork', () => {
  it.each(Object.entries(aliases))('knows %s by its gid and by %j in any case', (gid, names) => {
    for (const name of [gid, ...names, ...names.map((alias) => alias.toUpperCase())])
      expect(findNetwork(name)?.gid).toBe(gid);
  });

  it.each(['eip155:31337', 'anvil'])('knows the local chain as %s', (name) => {
    expect(findNetwork(name)).toMatchObject({
      gid: 'eip155:31337',
      confirmation: { type: 'tag', tag: 'finalized', depth: 3 },
    });
  });

  it.each([
    ['tron:728126428', 'tron:0x2b6653dc'],
    ['tron:mainnet', 'tron:0x2b6653dc'],
    ['tron:Nile', 'tron:0xcd8690dc'],
    ['tron:0x2B6653DC', 'tron:0x2b6653dc'],
    ['eip155:001', 'eip155:1'],
  ])('reads %s as %s', (input, gid) => {
    expect(normalizeChainGid(input)).toBe(gid);
    expect(findNetwork(input)?.gid).toBe(gid);
  });

  it.each(['', 'eip155:', 'eip155:999999999', 'nonsense', 'tron:0x1', 'constructor', '__proto__'])(
    'does not know %j',
    (name) => {
      expect(findNetwork(name)).toBeUndefined();
    },
  );
});

describe('listNetworks', () => {
  it('gives each network a native asset of its own chain, with the coin type of its kind', () => {
    for (const { gid, native, isTestnet, name } of listNetworks()) {
      expect(native!.gid.startsWith(`${gid}/slip44:`)).toBe(true);
      if (isTestnet && name !== 'anvil') expect(native!.gid).toBe(`${gid}/slip44:1`);
    }
  });

  it('holds the depths that count where a chain tells no finality', () => {
    const depth = (name: string): number | undefined => findNetwork(name)?.confirmation.depth;
    expect(['bitcoin', 'ethereum', 'bsc', 'polygon'].map(depth)).toEqual([6, 12, 15, 64]);
  });
});

describe('findFamily', () => {
  it('loads the family that serves a namespace, and none for the others', async () => {
    expect((await findFamily('eip155'))?.name).toBe('evm');
    expect((await findFamily('bip122'))?.name).toBe('bitcoin');
    expect((await findFamily('tron'))?.name).toBe('tron');
    expect((await findFamily('solana'))?.name).toBe('solana');
    expect(await findFamily('toString')).toBeUndefined();
  });

  it.each(['eip155', 'bip122', 'solana', 'tron'])('is whole for every network of %s', async (namespace) => {
    const networks = (await findNotation(namespace))?.catalogue.networks ?? [];
    expect(networks).toEqual(listNetworks().filter(({ gid }) => gid.startsWith(`${namespace}:`)));
    for (const network of networks) expect(findNetwork(network.gid)).toBe(network);
  });
});
