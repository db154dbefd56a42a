// SPDX-License-Identifier: Apache-2.0
import fc from 'fast-check';
import { InvalidPublicKeyError, type PublicKeyInput } from '@chainwatch/chain-core';
import { parsePublicKey } from './hd-derivation.ts';
import {
  mainnet,
  parentFingerprintOf,
  rewriteKey,
  testNetworks,
  versions,
  type KeyParts,
} from './spec-keys.ts';
import accounts from './vectors/accounts.json' with { type: 'json' };
import bip32 from './vectors/bip32.json' with { type: 'json' };

const hardened = 2 ** 31;
const zpub = accounts.accounts[2]!.key;
const xpub = accounts.accounts[2]!.xpub;
const path = "m/84'/0'/0'";

function refuse(input: PublicKeyInput): InvalidPublicKeyError {
  try {
    parsePublicKey(input);
  } catch (error) {
    if (error instanceof InvalidPublicKeyError) return error;
    throw error;
  }
  throw new Error('expected a refusal');
}

describe('accepted keys', () => {
  it.each(accounts.accounts)(
    '$source $path: as published, and as xpub',
    ({ path: derivationPath, key, xpub: plain, format }) => {
      const expected = {
        derivationPath,
        purpose: Number(derivationPath.slice(2, 4)),
        accountIndex: 0,
        addressFormat: format,
        networkGids: [mainnet],
      };
      expect(parsePublicKey({ extendedPublicKey: key, derivationPath })).toMatchObject({
        extendedPublicKey: key,
        ...expected,
      });
      const { fingerprint } = parsePublicKey({ extendedPublicKey: plain, derivationPath });
      expect(parsePublicKey({ extendedPublicKey: ` ${key}\n`, derivationPath })).toMatchObject({
        extendedPublicKey: key,
        fingerprint,
        ...expected,
      });
    },
  );

  it.each(bip32.derivations)(
    'the fingerprint is what children of $vector $path carry as their parent',
    ({ parent, child }) => {
      expect(
        parsePublicKey({
          extendedPublicKey: rewriteKey(parent, { depth: 3, childNumber: hardened }),
          derivationPath: path,
        }).fingerprint,
      ).toBe(parentFingerprintOf(child));
    },
  );

  it.each([
    ['tpub', 44],
    ['tpub', 49],
    ['tpub', 84],
    ['tpub', 86],
    ['upub', 49],
    ['vpub', 84],
  ] as const)("%s under %s' stands for every test network", (version, purpose) => {
    const input = { extendedPublicKey: rewriteKey(xpub, { version }), derivationPath: `m/${purpose}h/1H/0'` };
    expect(parsePublicKey(input)).toMatchObject({
      derivationPath: `m/${purpose}'/1'/0'`,
      purpose,
      networkGids: testNetworks,
    });
    const [regtest] = testNetworks.slice(-1);
    expect(parsePublicKey({ ...input, networkGid: regtest! }).networkGids).toEqual([
      regtest,
      ...testNetworks.slice(0, -1),
    ]);
  });

  it('takes the highest account', () => {
    const account = hardened - 1;
    const extendedPublicKey = rewriteKey(xpub, { childNumber: hardened + account });
    expect(parsePublicKey({ extendedPublicKey, derivationPath: `m/86'/0'/${account}'` })).toMatchObject({
      accountIndex: account,
      addressFormat: 'p2tr',
    });
  });
});

describe('refused keys', () => {
  it.each(bip32.invalid)('BIP-32 vector 5: $reason', ({ key }) => {
    const error = refuse({ extendedPublicKey: key, derivationPath: path });
    expect(error).toMatchObject({ field: 'extended_public_key', isConflict: false });
    expect(error.message).toMatch(/^expected .*, got /);
  });

  it.each<[string, KeyParts, RegExp]>([
    ['a point that is not on the curve', { key: `02${'0'.repeat(63)}7` }, /point of the curve/],
    ['an uncompressed key', { key: `04${'1'.repeat(64)}` }, /begins with 02 or 03/],
    ['a private key under a public prefix', { key: `00${'1'.repeat(64)}` }, /begins with 02 or 03/],
    ['a master key', { depth: 0 }, /depth 3, got depth 0/],
    ['the key of a chain', { depth: 4 }, /depth 3, got depth 4/],
  ])('%s', (_name, parts, reason) => {
    const error = refuse({ extendedPublicKey: rewriteKey(zpub, parts), derivationPath: path });
    expect(error).toMatchObject({
      field: 'extended_public_key',
      isConflict: false,
      message: expect.stringMatching(reason),
    });
  });

  it.each(Object.keys(versions).filter((name) => name.endsWith('prv')) as (keyof typeof versions)[])(
    '%s, called a private key',
    (version) => {
      for (const derivationPath of [path, "m/84'/1'/0'", 'nonsense']) {
        const error = refuse({ extendedPublicKey: rewriteKey(zpub, { version }), derivationPath });
        expect(error).toMatchObject({
          field: 'extended_public_key',
          isConflict: false,
          message: expect.stringContaining('private key'),
        });
      }
    },
  );

  it.each(['Ypub', 'Zpub', 'Upub', 'Vpub'] as const)('%s, called a multisig key', (version) => {
    expect(refuse({ extendedPublicKey: rewriteKey(zpub, { version }), derivationPath: path })).toMatchObject({
      field: 'extended_public_key',
      isConflict: false,
      message: expect.stringContaining(`multisig wallet (${version})`),
    });
  });

  it.each([
    ['nothing', '', /111 characters of Base58, got 0/],
    ['a wrong checksum', `${zpub.slice(0, -1)}t`, /checksum/],
    ['a character missing', zpub.slice(0, -1), /111 characters of Base58, got 110/],
    ['a character too many', `${zpub}1`, /111 characters of Base58, got 112/],
    ['no Base58', zpub.replace('z', '0'), /Base58 characters only/],
    ['a text without end', zpub.repeat(50), /111 characters of Base58, got 5550/],
    ['an address', 'bc1qcr8te4kr609gcawutmrza0j4xv80jy8z306fyu', /Base58 characters only/],
  ])('%s', (_name, extendedPublicKey, reason) => {
    expect(refuse({ extendedPublicKey, derivationPath: path })).toMatchObject({
      field: 'extended_public_key',
      isConflict: false,
      message: expect.stringMatching(reason),
    });
  });
});

describe('refused paths', () => {
  it.each([
    '',
    'm',
    "m/84'",
    "m/84'/0'",
    "m/84'/0'/0'/0",
    "m/84/0'/0'",
    "m/84'/0'/0",
    "m/84'/0'/-1'",
    "m/84'/0'/1.5'",
    "84'/0'/0'",
    "m/84'/0'/0'/",
    "m/84'//0'",
    "m/084''/0'/0'",
    xpub,
  ])('%j', (derivationPath) => {
    const error = refuse({ extendedPublicKey: zpub, derivationPath });
    expect(error).toMatchObject({
      field: 'derivation_path',
      isConflict: false,
      message: expect.stringMatching(/^expected a path to an account such as m\/84'\/0'\/0', got /),
    });
    expect(error.message).not.toContain(xpub.slice(4, 20));
  });

  it.each([
    ["m/45'/0'/0'", /purpose 44', 49', 84' or 86', got 45'/],
    [
      "m/84'/60'/0'",
      /coin type of 0' \(Bitcoin\), 1' \(test networks\), 2' \(Litecoin\), 3' \(Dogecoin\), 145' \(Bitcoin Cash\), got 60'/,
    ],
    ["m/84'/0'/2147483648'", /at most 2147483647', got 2147483648'/],
  ])('%s', (derivationPath, reason) => {
    expect(refuse({ extendedPublicKey: zpub, derivationPath })).toMatchObject({
      field: 'derivation_path',
      isConflict: false,
      message: expect.stringMatching(reason),
    });
  });
});

describe('keys and paths that contradict each other', () => {
  it.each<[keyof typeof versions, string, RegExp]>([
    ['zpub', "m/44'/0'/0'", /purpose 84' for the prefix zpub, got 44'/],
    ['zpub', "m/49'/0'/0'", /purpose 84'/],
    ['zpub', "m/86'/0'/0'", /purpose 84'/],
    ['ypub', "m/84'/0'/0'", /purpose 49'/],
    ['ypub', "m/44'/0'/0'", /purpose 49'/],
    ['upub', "m/84'/1'/0'", /purpose 49'/],
    ['vpub', "m/86'/1'/0'", /purpose 84'/],
    ['xpub', "m/44'/1'/0'", /coin type of a main network for the prefix xpub, got 1'/],
    ['zpub', "m/84'/1'/0'", /coin type of a main network/],
    ['tpub', "m/44'/0'/0'", /coin type 1' for the prefix tpub, got 0'/],
    ['vpub', "m/84'/0'/0'", /coin type 1'/],
    ['xpub', "m/84'/0'/1'", /the account that the key says it is \(0'\), got 1'/],
  ])('%s under %s', (version, derivationPath, reason) => {
    expect(refuse({ extendedPublicKey: rewriteKey(zpub, { version }), derivationPath })).toMatchObject({
      isConflict: true,
      message: expect.stringMatching(reason),
    });
  });

  it('a key that says it is no account', () => {
    const error = refuse({ extendedPublicKey: rewriteKey(zpub, { childNumber: 0 }), derivationPath: path });
    expect(error).toMatchObject({
      isConflict: true,
      message: expect.stringContaining("(0, not hardened), got 0'"),
    });
  });

  it.each([
    [path, testNetworks[0]],
    ["m/84'/1'/0'", mainnet],
    [path, 'eip155:1'],
  ] as const)('%s on %s', (derivationPath, networkGid) => {
    const extendedPublicKey = rewriteKey(zpub, { version: derivationPath === path ? 'zpub' : 'vpub' });
    expect(refuse({ extendedPublicKey, derivationPath, networkGid })).toMatchObject({
      isConflict: true,
      message: expect.stringContaining(networkGid),
    });
  });
});

it('never repeats what it refuses, nor any part of it, in either field', () => {
  const keys = fc.constantFrom(
    zpub,
    ...Object.keys(versions).map((version) =>
      rewriteKey(zpub, { version: version as keyof typeof versions }),
    ),
    ...bip32.invalid.map(({ key }) => key),
  );
  const broken = fc
    .tuple(keys, fc.nat({ max: 130 }), fc.string({ maxLength: 3 }))
    .map(([key, at, text]) => key.slice(0, at) + text + key.slice(at + 1));
  fc.assert(
    fc.property(
      fc.oneof(keys, broken),
      fc.oneof(fc.constant(path), keys, broken),
      (extendedPublicKey, derivationPath) => {
        let shown = '';
        try {
          parsePublicKey({ extendedPublicKey, derivationPath });
        } catch (error) {
          if (!(error instanceof InvalidPublicKeyError)) throw error;
          shown = `${error.message}${error.publicMessage}${error.stack}${String(error.cause)}`;
        }
        for (const text of [extendedPublicKey, derivationPath]) {
          for (let at = 0; at + 12 <= text.length; at += 1)
            if (shown.includes(text.slice(at, at + 12)) && text !== path)
              throw new Error(`repeats ${text.slice(at, at + 12)}`);
        }
      },
    ),
    { numRuns: 500 },
  );
});
