import { secp256k1 } from '@noble/curves/secp256k1.js';
import fc from 'fast-check';
import { keccak256Hex } from './keccak.ts';
import { recoverSender } from './sender-signature.ts';

const ORDER = secp256k1.Point.CURVE().n;
const bytes = fc.uint8Array({ minLength: 32, maxLength: 32 });
const scalar = fc.bigInt({ min: 1n, max: ORDER - 1n });
const digestOf = (message: Uint8Array): string => Buffer.from(message).toString('hex');

/** As @noble/curves recovers it, which is not the library in use. */
function recoverByNoble(digest: string, r: bigint, s: bigint, parity: number): string | undefined {
  try {
    const key = new secp256k1.Signature(r, s, parity)
      .recoverPublicKey(Buffer.from(digest, 'hex'))
      .toBytes(false);
    return `0x${keccak256Hex(key.subarray(1)).slice(24)}`;
  } catch {
    return undefined;
  }
}

describe('recoverSender', () => {
  it('finds the signer, also behind a high s, as before Homestead', () => {
    fc.assert(
      fc.property(bytes, scalar, (message, secret) => {
        const key = Buffer.from(secret.toString(16).padStart(64, '0'), 'hex');
        const { r, s, recovery } = secp256k1.Signature.fromBytes(
          secp256k1.sign(message, key, { prehash: false, format: 'recovered' }),
          'recovered',
        );
        const signer = `0x${keccak256Hex(secp256k1.getPublicKey(key, false).subarray(1)).slice(24)}`;
        const digest = digestOf(message);
        expect(recoverSender({ digest, r, s, parity: recovery! })).toBe(signer);
        expect(recoverSender({ digest, r, s: ORDER - s, parity: 1 - recovery! })).toBe(signer);
        expect(recoverSender({ digest, r, s, parity: 1 - recovery! })).not.toBe(signer);
      }),
      { numRuns: 30 },
    );
  });

  it('gives what @noble/curves gives for whatever numbers a node tells', () => {
    const number = fc.oneof(
      scalar,
      fc.constantFrom(0n, 1n, ORDER - 1n, ORDER, 2n ** 256n - 1n),
      fc.bigInt({ min: 0n, max: 100n }),
    );
    fc.assert(
      fc.property(bytes, number, number, fc.nat(1), (message, r, s, parity) => {
        const digest = digestOf(message);
        expect(recoverSender({ digest, r, s, parity })).toBe(recoverByNoble(digest, r, s, parity));
      }),
      { numRuns: 100 },
    );
  });

  it.each([2, 3, 27, -1, NaN])('finds nobody for the parity %s', (parity) => {
    expect(recoverSender({ digest: '11'.repeat(32), r: 5n, s: 6n, parity })).toBeUndefined();
  });

  it('finds nobody for numbers of more than 32 bytes', () => {
    expect(recoverSender({ digest: '11'.repeat(32), r: 2n ** 256n, s: 6n, parity: 0 })).toBeUndefined();
  });
});
