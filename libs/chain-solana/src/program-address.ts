import { ed25519 } from '@noble/curves/ed25519.js';
import { sha256 } from '@noble/hashes/sha2.js';

const MARKER = Buffer.from('ProgramDerivedAddress');

/** The address that a program derives from `seeds`: the first hash, counting down, that is no point of the curve. */
export function findProgramAddress(seeds: readonly Uint8Array[], program: Uint8Array): Uint8Array {
  for (let bump = 255; bump >= 0; bump -= 1) {
    const address = sha256(Buffer.concat([...seeds, Uint8Array.of(bump), program, MARKER]));
    if (!isOnCurve(address)) return address;
  }
  throw new RangeError('expected an address off the curve, got none');
}

function isOnCurve(bytes: Uint8Array): boolean {
  try {
    ed25519.Point.fromBytes(bytes, true);
    return true;
  } catch {
    return false;
  }
}
