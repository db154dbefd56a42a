import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import * as caip from './index.ts';

interface Vectors {
  chainGids: { text: string; namespace: string; reference: string }[];
  invalidChainGids: string[];
  accountIds: { text: string; chainGid: string; address: string }[];
  invalidAccountIds: string[];
  assets: { text: string; chainGid: string; namespace: string; reference: string; tokenId?: string }[];
  invalidAssets: string[];
}
const vectors = JSON.parse(readFileSync(new URL('../vectors/caip.json', import.meta.url), 'utf8')) as Vectors;

const lower = 'abcdefghijklmnopqrstuvwxyz0123456789';
const mixed = `${lower}${lower.toUpperCase()}`;
const word = (alphabet: string, minLength: number, maxLength: number) =>
  fc.string({ unit: fc.constantFrom(...alphabet), minLength, maxLength });
const namespaces = word(lower, 3, 8);
const chainReferences = word(`${mixed}-_`, 1, 32);
const assetReferences = word(`${mixed}-.%`, 1, 128);
const tokenIds = word(`${mixed}-.%`, 1, 78);

describe('CAIP-2', () => {
  it.each(vectors.chainGids)('reads $text', ({ text, namespace, reference }) => {
    expect(caip.parseChainGid(text)).toBe(text);
    expect(caip.splitChainGid(text)).toEqual({ namespace, reference });
    expect(caip.formatChainGid({ namespace, reference })).toBe(text);
    expect(caip.chainGidSchema.parse(text)).toBe(text);
  });

  it.each(vectors.invalidChainGids)('refuses %j', (text) => {
    expect(() => caip.parseChainGid(text)).toThrow(caip.InvalidCaipError);
    expect(() => caip.splitChainGid(text)).toThrow(caip.InvalidCaipError);
    expect(caip.isChainGid(text)).toBe(false);
    expect(caip.chainGidSchema.safeParse(text).success).toBe(false);
  });

  it('formats and splits any namespace and reference there and back', () => {
    fc.assert(
      fc.property(namespaces, chainReferences, (namespace, reference) => {
        expect(caip.splitChainGid(caip.formatChainGid({ namespace, reference }))).toEqual({
          namespace,
          reference,
        });
      }),
    );
  });

  it('names the part that does not fit', () => {
    expect(() => caip.formatChainGid({ namespace: 'EIP155', reference: '1' })).toThrow(
      'expected a chain namespace of 3 to 8 lower-case letters and digits, got "EIP155"',
    );
    expect(() => caip.formatChainGid({ namespace: 'eip155', reference: 'a:b' })).toThrow(
      'expected a chain reference',
    );
  });
});

describe('CAIP-10', () => {
  it.each(vectors.accountIds)('reads $text', ({ text, chainGid, address }) => {
    expect(caip.parseAccountId(text)).toBe(text);
    expect(caip.splitAccountId(text)).toEqual({ chainGid, address });
    expect(caip.formatAccountId({ chainGid, address })).toBe(text);
    expect(caip.accountIdSchema.parse(text)).toBe(text);
  });

  it.each(vectors.invalidAccountIds)('refuses %j', (text) => {
    expect(() => caip.parseAccountId(text)).toThrow(caip.InvalidCaipError);
    expect(caip.isAccountId(text)).toBe(false);
  });

  it('names the part that does not fit', () => {
    expect(() => caip.formatAccountId({ chainGid: 'eip155', address: 'a' })).toThrow(
      'expected a CAIP-2 chain id',
    );
    expect(() => caip.formatAccountId({ chainGid: 'eip155:1', address: 'a:b' })).toThrow(
      'expected an account address',
    );
  });
});

describe('CAIP-19', () => {
  it.each(vectors.assets)('reads $text', ({ text, chainGid, namespace, reference, tokenId }) => {
    const parts = caip.splitAssetGid(text);
    expect(parts).toEqual({
      chainGid,
      namespace,
      reference,
      assetPath: `${namespace}:${reference}`,
      ...(tokenId === undefined ? {} : { tokenId }),
    });
    const formatted =
      tokenId === undefined
        ? caip.formatAssetGid({ chainGid, namespace, reference })
        : caip.formatAssetId({ chainGid, namespace, reference, tokenId });
    expect(formatted).toBe(text);
    expect(caip.isAssetGid(text)).toBe(tokenId === undefined);
    expect(caip.assetGidSchema.safeParse(text).success).toBe(tokenId === undefined);
  });

  it.each(vectors.invalidAssets)('refuses %j', (text) => {
    expect(() => caip.splitAssetGid(text)).toThrow(caip.InvalidCaipError);
    expect(() => caip.parseAssetGid(text)).toThrow(caip.InvalidCaipError);
    expect(caip.isAssetGid(text)).toBe(false);
  });

  it('formats and splits any asset id there and back', () => {
    fc.assert(
      fc.property(
        namespaces,
        chainReferences,
        namespaces,
        assetReferences,
        tokenIds,
        (chainNamespace, chainReference, namespace, reference, tokenId) => {
          const chainGid = caip.formatChainGid({ namespace: chainNamespace, reference: chainReference });
          const text = caip.formatAssetId({ chainGid, namespace, reference, tokenId });
          expect(caip.splitAssetGid(text)).toEqual({
            chainGid,
            namespace,
            reference,
            tokenId,
            assetPath: `${namespace}:${reference}`,
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

  it('names the part that does not fit', () => {
    const parts = { chainGid: 'eip155:1', namespace: 'erc721', reference: '0x06', tokenId: 'a'.repeat(79) };
    expect(() => caip.formatAssetId(parts)).toThrow('expected a token id of 1 to 78');
    expect(() => caip.formatAssetGid({ ...parts, namespace: 'erc_721' })).toThrow(
      'expected an asset namespace',
    );
    expect(() => caip.formatAssetGid({ ...parts, reference: '' })).toThrow('expected an asset reference');
  });
});

describe('any text', () => {
  it('is split into what formats back to it, or refused with InvalidCaipError', () => {
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
          const { tokenId, ...parts } = caip.splitAssetGid(text);
          expect(
            tokenId === undefined ? caip.formatAssetGid(parts) : caip.formatAssetId({ ...parts, tokenId }),
          ).toBe(text);
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
