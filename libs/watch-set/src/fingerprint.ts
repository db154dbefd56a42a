// Taken once: a look-up of the global in every round costs twice the hash where modules run in a VM context (Jest).
const { imul } = Math;

/** Where `writeFingerprint` leaves the two halves; one array for all calls keeps allocation off the hot path. */
export type Fingerprint = Int32Array;

/**
 * 64-bit fingerprint of a text, or of `length` units of it from `from` on, into `out[0]` and `out[1]`. Two lanes in
 * the manner of MurmurHash3's x86_128, two UTF-16 units at a time, no BigInt and no allocation. Each round is a
 * bijection of the 64-bit state, so two texts of one length can collide only by chance. Never (0, 0): that marks an
 * empty slot.
 */
export function writeFingerprint(text: string, out: Fingerprint, from = 0, length = text.length): void {
  const end = from + length;
  // The last unit of an odd length stands alone.
  const last = end - (length & 1);
  let a = 0x2f6a7c15 ^ length;
  let b = 0x5851f42d ^ length;
  for (let index = from; index < end; index += 2) {
    // The length in the seed tells a text that ends with a zero from one that does not.
    const units = text.charCodeAt(index) | (index < last ? text.charCodeAt(index + 1) << 16 : 0);
    let mixed = imul(units, 0xcc9e2d51);
    mixed = (mixed << 15) | (mixed >>> 17);
    a ^= imul(mixed, 0x1b873593);
    a = (a << 13) | (a >>> 19);
    a = (imul(a, 5) + 0xe6546b64) | 0;
    mixed = imul(units, 0x239b961b);
    mixed = (mixed << 16) | (mixed >>> 16);
    b ^= imul(mixed, 0xab0e9789);
    b = (b << 17) | (b >>> 15);
    b = (imul((b + a) | 0, 5) + 0x0bcaa747) | 0;
  }
  a = (a + b) | 0;
  b = (b + a) | 0;
  a = finish(a, 0x85ebca6b, 0xc2b2ae35);
  b = finish(b, 0x9e3779b1, 0x85ebca77);
  a = (a + b) | 0;
  b = (b + imul(a, 0x27d4eb2f)) | 0;
  out[0] = a;
  out[1] = (a | b) === 0 ? 1 : b;
}

const scratch: Fingerprint = new Int32Array(2);

/** 53 bits of the fingerprint as one number, for lists of few texts: 8 bytes where the text would take a hundred. */
export function fingerprintOf(text: string): number {
  writeFingerprint(text, scratch);
  return (scratch[0]! >>> 0) * 0x20_0000 + (scratch[1]! >>> 11);
}

function finish(half: number, first: number, second: number): number {
  let mixed = half ^ (half >>> 16);
  mixed = imul(mixed, first);
  mixed ^= mixed >>> 13;
  mixed = imul(mixed, second);
  return mixed ^ (mixed >>> 16);
}
