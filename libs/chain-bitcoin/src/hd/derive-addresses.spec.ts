// SPDX-License-Identifier: Apache-2.0
import { existsSync, readFileSync } from 'node:fs';
import { schnorr, secp256k1 } from '@noble/curves/secp256k1.js';
import { bech32m } from '@scure/base';
import { HDKey } from '@scure/bip32';
import { networks, payments } from 'bitcoinjs-lib';
import fc from 'fast-check';
import { parseAddress } from '../parse-address.ts';
import { answerTask } from './derivation.worker.ts';
import { deriveAddresses } from './derive-addresses.ts';
import { parsePublicKey } from './hd-derivation.ts';
import { mainnet, rewriteKey, testNetworks } from './spec-keys.ts';
import accounts from './vectors/accounts.json' with { type: 'json' };

// Beside the repository (see fixtures.md): the published accounts, each with 30 addresses.
const fixture = new URL(
  '../../../../../shared/fixtures/bitcoin/vectors/bip44-49-84-86-addresses.json',
  import.meta.url,
);
const recorded: Account[] = existsSync(fixture) ? JSON.parse(readFileSync(fixture, 'utf8')).accounts : [];
if (recorded.length === 0)
  console.log('skipped: derived addresses (../shared/fixtures/bitcoin/vectors is absent)');

interface Account {
  name: string;
  path: string;
  extended: string;
  kind: string;
  addresses: Record<string, string>;
}

async function derivePath(extendedPublicKey: string, derivationPath: string, path: string): Promise<string> {
  const { addressFormat, networkGids } = parsePublicKey({ extendedPublicKey, derivationPath });
  const [change, index] = path.split('/').map(Number) as [number, number];
  const [derived] = await deriveAddresses({
    extendedPublicKey,
    addressFormat,
    networkGid: networkGids[0]!,
    change,
    indexes: [index],
  });
  return derived!.address.canonical;
}

describe('answerTask', () => {
  it('tells of an index without a key, where the library goes on to the next one', () => {
    const { deriveChild } = HDKey.prototype;
    HDKey.prototype.deriveChild = function (index) {
      return deriveChild.call(this, index === 5 ? 6 : index);
    };
    const answer = answerTask({
      extendedPublicKey: accounts.accounts[2]!.xpub,
      keyVersion: 0x0488b21e,
      change: 0,
      indexes: [4, 5],
      format: 'p2wpkh',
      network: networks.bitcoin,
    });
    HDKey.prototype.deriveChild = deriveChild;
    expect(answer).toEqual({
      fault: 'expected a key at the index 5, got one at 6: the index has no address',
    });
  });
});

describe('deriveAddresses', () => {
  it.each(accounts.accounts)('$source $path', async ({ path: derivationPath, key, xpub, addresses }) => {
    for (const [path, address] of Object.entries(addresses)) {
      expect(await derivePath(key, derivationPath, path)).toBe(address);
      expect(await derivePath(xpub, derivationPath, path)).toBe(address);
    }
  });

  it('BIP-49, on a test network', async () => {
    const { path, accountXprv, address } = accounts.testnet;
    const account = HDKey.fromExtendedKey(accountXprv, {
      private: 0x04358394,
      public: 0x043587cf,
    }).publicExtendedKey;
    for (const version of ['tpub', 'upub'] as const)
      expect(await derivePath(rewriteKey(account, { version }), path, '0/0')).toBe(address);
  });

  (recorded.length === 0 ? it.skip : it).each(recorded)(
    'every recorded address of $name',
    async ({ path: derivationPath, extended, kind, addresses }) => {
      const { addressFormat } = parsePublicKey({ extendedPublicKey: extended, derivationPath });
      expect(addressFormat).toBe(kind);
      for (const [path, address] of Object.entries(addresses))
        expect(await derivePath(extended, derivationPath, path)).toBe(address);
    },
  );

  it('pays to what the private key derives, validated, on every network and in the order of the indexes', async () => {
    const cases = [
      { networkGid: mainnet, network: networks.bitcoin },
      ...testNetworks.map((networkGid, position) => ({
        networkGid,
        network: position === 3 ? networks.regtest : networks.testnet,
      })),
    ];
    const request = fc.record({
      seed: fc.uint8Array({ minLength: 16, maxLength: 32 }),
      place: fc.constantFrom(...cases),
      addressFormat: fc.constantFrom('p2pkh', 'p2sh-p2wpkh', 'p2wpkh', 'p2tr'),
      change: fc.constantFrom(0, 1),
      indexes: fc.array(fc.nat({ max: 2 ** 31 - 1 }), { minLength: 1, maxLength: 3 }),
    });
    await fc.assert(
      fc.asyncProperty(
        request,
        async ({ seed, place: { networkGid, network }, addressFormat, change, indexes }) => {
          const account = HDKey.fromMasterSeed(seed).derive("m/84'/0'/7'");
          const derived = await deriveAddresses({
            extendedPublicKey: account.publicExtendedKey,
            addressFormat,
            networkGid,
            change,
            indexes,
          });
          expect(derived.map(({ index }) => index)).toEqual(indexes);
          derived.forEach(({ index, address }) => {
            const pubkey = account.deriveChild(change).deriveChild(index).publicKey!;
            expect(address.canonical).toBe(encode(addressFormat, pubkey, network));
            const { others: _others, ...read } = parseAddress(address.canonical);
            expect({ ...read, format: addressFormat }).toEqual(address);
            expect(read.networkGids).toContain(networkGid);
          });
        },
      ),
      { numRuns: 40 },
    );
  });

  it('derives a thousand in one call, none for none', async () => {
    const { key, addresses } = accounts.accounts[2]!;
    const request = { extendedPublicKey: key, addressFormat: 'p2wpkh', networkGid: mainnet, change: 0 };
    const derived = await deriveAddresses({
      ...request,
      indexes: Array.from({ length: 1_000 }, (_, index) => index),
    });
    expect(new Set(derived.map(({ address }) => address.canonical)).size).toBe(1_000);
    expect(derived[1]?.address.canonical).toBe(addresses['0/1']);
    expect(await deriveAddresses({ ...request, indexes: [] })).toEqual([]);
  });

  it.each([
    ['another chain', { change: 2 }, /change 0 or 1, got 2/],
    ['a hardened index', { indexes: [2 ** 31] }, /from 0 to 2147483647, got 2147483648/],
    ['a negative index', { indexes: [-1] }, /got -1/],
    ['a fraction', { indexes: [0.5] }, /got 0.5/],
    [
      '1,001 at once',
      { indexes: Array.from({ length: 1_001 }, (_, index) => index) },
      /at most 1000 indexes, got 1001/,
    ],
    ['another format', { addressFormat: 'p2wsh' }, /got p2wsh/],
    ['another network', { networkGid: 'eip155:1' }, /got eip155:1/],
  ])('refuses %s', async (_name, wrong, reason) => {
    const request = {
      extendedPublicKey: accounts.accounts[2]!.key,
      addressFormat: 'p2wpkh',
      networkGid: mainnet,
      change: 0,
      indexes: [0],
    };
    await expect(deriveAddresses({ ...request, ...wrong })).rejects.toThrow(reason);
  });
});

function encode(format: string, pubkey: Uint8Array, network: typeof networks.bitcoin): string | undefined {
  if (format === 'p2pkh') return payments.p2pkh({ pubkey, network }).address;
  if (format === 'p2wpkh') return payments.p2wpkh({ pubkey, network }).address;
  if (format === 'p2tr') return encodeTaproot(pubkey.slice(1), network.bech32);
  return payments.p2sh({ redeem: payments.p2wpkh({ pubkey, network }), network }).address;
}

/** BIP-86, by another library than the thread's. */
function encodeTaproot(x: Uint8Array, prefix: string): string {
  const tweak = secp256k1.Point.BASE.multiply(toBigInt(schnorr.utils.taggedHash('TapTweak', x)));
  const output = schnorr.utils.lift_x(toBigInt(x)).add(tweak).toBytes(true).slice(1);
  return bech32m.encode(prefix, [1, ...bech32m.toWords(output)]);
}

function toBigInt(bytes: Uint8Array): bigint {
  return BigInt(`0x${Buffer.from(bytes).toString('hex')}`);
}
