// SPDX-License-Identifier: Apache-2.0
import { VersionedTransaction } from '@solana/web3.js';
import fc from 'fast-check';
import { verifySignatures } from '../verify-block.ts';
import { readWire } from './read-wire.ts';
import { drawParts, fillUp, SpecRandom } from './spec-draw.ts';
import { expectAsLibrary } from './spec-judge.ts';
import { encodeMessage, encodeTransaction, signTransaction, type WireParts } from './spec-wire.ts';
import { UnknownTransactionError } from './unknown-transaction-error.ts';

const SEED = 385;
const VERSION_1 = 1_600;
const BEFORE_IT = 600;
/** Every so many transactions one is signed. */
const SIGNED = 20;

interface Drawn {
  readonly parts: WireParts;
  readonly bytes: Buffer;
}

/** All combinations of values and of 1 to 12 signatures come up at least eight times. */
function drawVersion1(random: SpecRandom, index: number): Drawn {
  const signatureCount = 1 + (Math.floor(index / 16) % 12);
  const keyCount = index % 25 === 0 ? random.int(65, 96) : random.int(signatureCount, 64);
  const secrets = index % SIGNED === 0 ? drawSecrets(random, signatureCount) : [];
  const room = 4_096 - 62 - 32 * keyCount - 64 * signatureCount;
  const instructionCount = Math.max(0, Math.min(index % 65, room >> 2));
  const wanted = {
    version: 1,
    values: index % 16,
    signatureCount,
    keyCount,
    instructionCount,
    secrets,
  } as const;
  const parts = drawParts(random, wanted);
  const drawn = toDrawn(random, parts, secrets);
  return index % 10 === 3 ? toDrawn(random, fillUp(parts, drawn.bytes.length), secrets) : drawn;
}

function drawBefore(random: SpecRandom, index: number): Drawn {
  const signatureCount = 1 + (index % 12);
  const secrets = index % SIGNED === 0 ? drawSecrets(random, signatureCount) : [];
  const parts = drawParts(random, {
    version: index % 2 === 0 ? 'legacy' : 0,
    signatureCount,
    keyCount: signatureCount + random.int(0, 6),
    instructionCount: random.int(0, 12 - signatureCount),
    secrets,
  });
  return toDrawn(random, parts, secrets);
}

const drawSecrets = (random: SpecRandom, count: number): Uint8Array[] =>
  Array.from({ length: count }, () => random.bytes(32));

function toDrawn(random: SpecRandom, parts: WireParts, secrets: readonly Uint8Array[]): Drawn {
  const signatures = Array.from({ length: parts.header.required }, () => random.bytes(64));
  const bytes = secrets.length > 0 ? signTransaction(parts, secrets) : encodeTransaction(parts, signatures);
  return { parts, bytes };
}

const random = new SpecRandom(SEED);
const version1 = Array.from({ length: VERSION_1 }, (_, index) => drawVersion1(random, index));
const before = Array.from({ length: BEFORE_IT }, (_, index) => drawBefore(random, index));
/** Short ones, so that every cut of them is tried. */
const short = Array.from({ length: 16 }, (_, values) => {
  const parts = drawParts(random, {
    version: 1,
    values,
    signatureCount: 1 + (values % 3),
    keyCount: 4 + (values % 3),
    instructionCount: 1 + (values % 4),
  });
  const instructions = parts.instructions.map(({ programIndex, accounts, data }) => ({
    programIndex,
    accounts: accounts.slice(0, 3),
    data: data.subarray(0, 20),
  }));
  return toDrawn(random, { ...parts, instructions }, []);
});

describe('readWire beside @solana/web3.js', () => {
  it('draws all that version 1 allows', () => {
    const has = (test: (drawn: Drawn) => boolean): boolean => version1.some(test);
    const combinations = new Set(version1.map(({ bytes }) => `${bytes.readUInt32LE(4)} ${bytes[1]}`));
    expect(combinations.size).toBe(16 * 12);
    expect(new Set(version1.map(({ bytes }) => bytes[40])).size).toBe(65);
    expect([
      has(({ bytes }) => bytes.length === 4_096),
      has(({ bytes }) => bytes[41] === 64),
      has(({ bytes }) => bytes[41]! > 64),
      has(({ bytes }) => bytes[41] === bytes[1]),
      has(({ parts }) => parts.instructions.some(({ data }) => data.length > 1_232)),
    ]).toEqual([true, true, true, true, true]);
  });

  it(`reads ${VERSION_1} transactions of version 1, field by field`, () => {
    for (const { bytes, parts } of version1) {
      expectAsLibrary(bytes);
      expect(encodeMessage(parts).equals(readWire(bytes).message)).toBe(true);
    }
  });

  it(`reads ${BEFORE_IT} transactions of legacy and version 0, field by field`, () => {
    for (const { bytes } of before) expectAsLibrary(bytes);
  });

  it('reads a priority fee above 2^53 lamports, which the library refuses', () => {
    const { parts } = version1.find(({ parts: { config } }) => config?.priorityFee !== undefined)!;
    const priorityFee = 2n ** 64n - 2n;
    const { bytes } = toDrawn(random, { ...parts, config: { ...parts.config, priorityFee } }, []);
    expect(readWire(bytes).config).toMatchObject({ priorityFee });
    expect(() => VersionedTransaction.deserialize(bytes)).toThrow();
  });

  it('finds signatures that are right, and one bit that is not', () => {
    const signed = [...version1, ...before].filter((_, index) => index % SIGNED === 0);
    expect(signed.length).toBeGreaterThan(100);
    for (const { bytes, parts } of signed) {
      const isForged = (of: Buffer): boolean => {
        const wire = readWire(of);
        return verifySignatures([{ signature: wire.signature, wire }]) !== undefined;
      };
      expect(isForged(bytes)).toBe(false);
      const signatureAt = bytes.indexOf(readWire(bytes).firstSignature);
      const lifetimeAt = bytes.indexOf(parts.lifetime);
      for (const from of [signatureAt, lifetimeAt]) {
        const flipped = Buffer.from(bytes);
        flipped[from + random.int(0, 31)]! ^= 1 << random.int(0, 7);
        expect(isForged(flipped)).toBe(true);
      }
    }
  });
});

describe('readWire refuses what no block can contain', () => {
  const libraryReads = (bytes: Buffer): boolean => {
    try {
      VersionedTransaction.deserialize(bytes);
      return true;
    } catch {
      return false;
    }
  };
  const patched = (bytes: Buffer, at: number, value: number): Buffer => {
    const copy = Buffer.from(bytes);
    copy[at] = value;
    return copy;
  };

  it('is cut at any byte', () => {
    let cuts = 0;
    for (const { bytes } of short)
      for (let length = 1; length < bytes.length; length += 1) {
        const cut = bytes.subarray(0, length);
        expect(() => readWire(cut)).toThrow(RangeError);
        expect(libraryReads(cut)).toBe(false);
        cuts += 1;
      }
    expect(cuts).toBeGreaterThan(4_000);
  });

  it('goes on behind its signatures', () => {
    for (const { bytes } of [...short, ...version1.slice(0, 200)]) {
      const longer = Buffer.concat([bytes, Uint8Array.of(0)]);
      expect(() => readWire(longer)).toThrow(RangeError);
      expect(libraryReads(longer)).toBe(false);
    }
  });

  it.each([0b01, 0b10])('has one bit of the priority fee, %d', (bit) => {
    for (const { parts } of short) {
      // The word that the bit counts is there, so that the layout is right.
      const { priorityFee: _, ...rest } = parts.config!;
      const [encoded] = [toDrawn(random, { ...parts, config: rest }, []).bytes];
      const at = 42 + 32 * parts.keys.length;
      const single = Buffer.concat([encoded.subarray(0, at), Buffer.alloc(4, 1), encoded.subarray(at)]);
      single[4]! |= bit;
      expect(() => readWire(single)).toThrow(/both bits of the priority fee/);
      expect(libraryReads(single)).toBe(false);
    }
  });

  it('is version 1 behind its signatures, whose message the library reads on', () => {
    for (const { bytes, parts } of version1.slice(0, 100)) {
      const message = encodeMessage(parts);
      const signatures = bytes.subarray(message.length);
      const envelope = Buffer.concat([Uint8Array.of(parts.header.required), signatures, message]);
      expect(() => readWire(envelope)).toThrow(/got version 1/);
      expect(libraryReads(envelope)).toBe(Number(parts.config?.priorityFee ?? 0n) <= Number.MAX_SAFE_INTEGER);
    }
  });

  it('is version 0 without signatures before it', () => {
    const parts = before[1]!.parts;
    expect(parts.version).toBe(0);
    expect(() => readWire(encodeMessage(parts))).toThrow(RangeError);
  });

  it.each([
    ['signatures', 1, 1],
    ['signatures', 1, -1],
    ['instructions', 40, 1],
    ['instructions', 40, -1],
    ['addresses', 41, 1],
    ['addresses', 41, -1],
  ])('counts another number of %s (byte %d by %d)', (_what, at, by) => {
    for (const { bytes } of short)
      expect(() => readWire(patched(bytes, at, bytes[at]! + by))).toThrow(RangeError);
  });

  it('has a payer that is read-only, or fewer addresses than its header counts', () => {
    for (const { bytes, parts } of short) {
      expect(() => readWire(patched(bytes, 2, parts.header.required))).toThrow(/read-only signers/);
      const most = parts.keys.length - parts.header.required;
      expect(() => readWire(patched(bytes, 3, most + 1))).toThrow(/addresses or more/);
      expectAsLibrary(patched(bytes, 3, most));
    }
  });

  it('points to an account or a program that is none of its addresses', () => {
    for (const { parts } of short) {
      const [first, ...others] = parts.instructions;
      const of = (change: object): Buffer =>
        toDrawn(random, { ...parts, instructions: [{ ...first!, ...change }, ...others] }, []).bytes;
      const last = parts.keys.length - 1;
      expectAsLibrary(of({ programIndex: last, accounts: [0, last] }));
      expect(() => readWire(of({ programIndex: last + 1 }))).toThrow(/expected an index below/);
      expect(() => readWire(of({ accounts: [0, last + 1] }))).toThrow(/expected an index below/);
    }
  });

  it.each([5, 17, 31])(
    'has a configuration value that is not known, bit %d: it is told by its bit',
    (bit) => {
      for (const { parts } of short) {
        const config = { ...parts.config, unknown: [{ bit, word: 7 }] };
        const { bytes } = toDrawn(random, { ...parts, config }, []);
        expect(() => readWire(bytes)).toThrow(
          expect.objectContaining({
            kind: `transaction-config:${bit}`,
            code: 'unknown_transaction',
          }) as Error,
        );
        // Its word counts all the same: without it the layout is not right.
        const at = 42 + 32 * parts.keys.length;
        expect(() => readWire(Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + 4)]))).toThrow(
          RangeError,
        );
      }
    },
  );

  it('has any other byte changed: it is refused, or read as the library reads it', () => {
    let [refused, read] = [0, 0];
    for (const { bytes, parts } of [...short, ...version1.slice(0, 60)])
      for (let tries = 0; tries < 12; tries += 1) {
        const valuesAt = 42 + 32 * parts.keys.length;
        // Half of the changes are where the layout is stated.
        const at = random.pick([
          random.pick([0, 1, 2, 3, 4, 40, 41]),
          Math.min(valuesAt + random.int(0, 40), bytes.length - 1),
          random.int(0, bytes.length - 1),
          random.int(0, bytes.length - 1),
        ]);
        const changed = patched(bytes, at, random.int(0, 255));
        try {
          readWire(changed);
        } catch (error) {
          expect(error instanceof RangeError || error instanceof UnknownTransactionError).toBe(true);
          refused += 1;
          continue;
        }
        if (!libraryReads(changed)) {
          // The library reads no priority fee above 2^53.
          expect(readWire(changed).config?.priorityFee ?? 0n).toBeGreaterThan(2n ** 53n - 1n);
          continue;
        }
        expectAsLibrary(changed);
        read += 1;
      }
    expect([refused > 100, read > 100]).toEqual([true, true]);
  });

  it('is anything behind the version byte', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 400 }), (bytes) => {
        expect(() => readWire(Buffer.from([0x81, ...bytes]))).toThrow(RangeError);
      }),
    );
  });
});
