// SPDX-License-Identifier: Apache-2.0
import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import * as caip from './index.ts';

interface Vectors {
  chainGids: { text: string; namespace: string; reference: string }[];
  invalidChainGids: string[];
  assets: { text: string; chainGid: string; namespace: string; reference: string; tokenId?: string }[];
  invalidAssets: string[];
}
const vectors = JSON.parse(
  readFileSync(new URL('../../vectors/caip.json', import.meta.url), 'utf8'),
) as Vectors;

const lower = 'abcdefghijklmnopqrstuvwxyz0123456789';
const mixed = `${lower}${lower.toUpperCase()}`;
const word = (alphabet: string, minLength: number, maxLength: number) =>
  fc.string({ unit: fc.constantFrom(...alphabet), minLength, maxLength });
const namespaces = word(lower, 3, 8);
const chainReferences = word(`${mixed}-_`, 1, 32);
const assetReferences = word(`${mixed}-.%`, 1, 128);

describe('CAIP-2', () => {
  it.each(vectors.chainGids)('reads $text', ({ text, namespace, reference }) => {
    expect(caip.parseChainGid(text)).toBe(text);
    expect(caip.splitChainGid(text)).toEqual({ namespace, reference });
    expect(caip.chainGidSchema.parse(text)).toBe(text);
  });

  it.each(vectors.invalidChainGids)('refuses %j', (text) => {
    expect(() => caip.parseChainGid(text)).toThrow(caip.InvalidCaipError);
    expect(() => caip.splitChainGid(text)).toThrow(caip.InvalidCaipError);
    expect(caip.chainGidSchema.safeParse(text).success).toBe(false);
  });

  it('splits any namespace and reference', () => {
    fc.assert(
      fc.property(namespaces, chainReferences, (namespace, reference) => {
        expect(caip.splitChainGid(`${namespace}:${reference}`)).toEqual({ namespace, reference });
      }),
    );
  });
});

describe('CAIP-19', () => {
  it.each(vectors.assets.filter(({ tokenId }) => tokenId === undefined))(
    'reads $text',
    ({ text, chainGid, namespace, reference }) => {
      const assetPath = `${namespace}:${reference}`;
      expect(caip.splitAssetGid(text)).toEqual({ chainGid, namespace, reference, assetPath });
      expect(caip.joinAssetGid(chainGid, assetPath)).toBe(text);
      expect(caip.assetGidSchema.parse(text)).toBe(text);
    },
  );

  it.each([
    ...vectors.invalidAssets,
    // One item of a collection is no asset that has a balance.
    ...vectors.assets.filter(({ tokenId }) => tokenId !== undefined).map(({ text }) => text),
  ])('refuses %j', (text) => {
    expect(() => caip.splitAssetGid(text)).toThrow(caip.InvalidCaipError);
    expect(caip.assetGidSchema.safeParse(text).success).toBe(false);
  });

  it('joins and splits any asset there and back', () => {
    fc.assert(
      fc.property(
        namespaces,
        chainReferences,
        namespaces,
        assetReferences,
        (chainNamespace, chainReference, namespace, reference) => {
          const chainGid = `${chainNamespace}:${chainReference}`;
          const assetPath = `${namespace}:${reference}`;
          expect(caip.splitAssetGid(caip.joinAssetGid(chainGid, assetPath))).toEqual({
            chainGid,
            assetPath,
            namespace,
            reference,
          });
        },
      ),
    );
  });

  it('joins a chain and an asset path, and checks both', () => {
    expect(caip.joinAssetGid('eip155:1', 'slip44:60')).toBe('eip155:1/slip44:60');
    expect(() => caip.joinAssetGid('eip155', 'slip44:60')).toThrow('CAIP-2');
    expect(() => caip.joinAssetGid('eip155:1', 'slip44')).toThrow('asset path');
    expect(() => caip.joinAssetGid('eip155:1/slip44:60', 'slip44:60')).toThrow('CAIP-2');
  });
});

describe('any text', () => {
  it('is split into what makes it up, or refused with InvalidCaipError', () => {
    const texts = fc.oneof(
      fc.string(),
      fc.string({ unit: fc.constantFrom(...'aA1:/-_.%é ') }),
      fc
        .constantFrom(...vectors.assets.map(({ text }) => text))
        .chain((text) =>
          fc
            .tuple(fc.nat(text.length), fc.string({ maxLength: 2 }))
            .map(([at, put]) => text.slice(0, at) + put + text.slice(at + 1)),
        ),
    );
    fc.assert(
      fc.property(texts, (text) => {
        try {
          const { chainGid, namespace, reference } = caip.splitAssetGid(text);
          expect(`${chainGid}/${namespace}:${reference}`).toBe(text);
        } catch (error) {
          expect(error).toBeInstanceOf(caip.InvalidCaipError);
        }
      }),
      { numRuns: 1000 },
    );
  });
});

describe('errors', () => {
  it('say expected and got, and shorten what a stranger sent', () => {
    expect(() => caip.parseChainGid('x')).toThrow('expected a CAIP-2 chain id such as "eip155:1", got "x"');
    expect(() => caip.parseChainGid('x'.repeat(10_000))).toThrow(/^.{100,200}$/);
    expect(caip.chainGidSchema.safeParse(7).error?.issues[0]?.message).toBe(
      'expected a CAIP-2 chain id such as "eip155:1", got number',
    );
    expect(caip.assetPathSchema.safeParse('slip44').error?.issues[0]?.message).toContain('got "slip44"');
  });
});
