import { sha256 } from '@noble/hashes/sha2.js';
import { base58, createBase58check } from '@scure/base';
import { InvalidAddressError } from '@chainwatch/chain-core';

/** One version byte and a hash of 20 bytes. */
export interface Base58Payload {
  readonly version: number;
  readonly hash: Uint8Array;
}

const PAYLOAD_BYTES = 21;
const CHECKSUM_BYTES = 4;
const BYTES = PAYLOAD_BYTES + CHECKSUM_BYTES;
// Decoding is quadratic, so a text that cannot be 25 bytes is not decoded.
const LENGTH_MAX = 100;

const base58check = createBase58check(sha256);

export function encodeBase58Address({ version, hash }: Base58Payload): string {
  return base58check.encode(Uint8Array.of(version, ...hash));
}

/** The payload of an address that was checked before. @throws Error when it is no Base58 */
export function readBase58Payload(canonical: string): Base58Payload {
  return toPayload(base58.decode(canonical));
}

/** @throws InvalidAddressError for an illegal character, a wrong length or a wrong checksum; the version is the caller's */
export function parseBase58Address(input: string): Base58Payload {
  const wrong = /[^1-9A-HJ-NP-Za-km-z]/u.exec(input);
  if (wrong) {
    const expected = 'expected letters and digits other than 0, O, I and l';
    throw new InvalidAddressError(`address has an illegal character: ${expected} (Base58), got ${JSON.stringify(wrong[0])} as character ${wrong.index + 1}`);
  }
  if (input.length > LENGTH_MAX) throw new InvalidAddressError(`address has a wrong length: expected 26 to 35 characters (Base58Check), got ${input.length}`);
  const bytes = base58.decode(input);
  if (bytes.length !== BYTES) {
    const expected = `expected ${BYTES} bytes in 26 to 35 characters (Base58Check)`;
    throw new InvalidAddressError(`address has a wrong length: ${expected}, got ${bytes.length} bytes in ${input.length}`);
  }
  checkChecksum(bytes);
  return toPayload(bytes);
}

function toPayload(bytes: Uint8Array): Base58Payload {
  return { version: bytes[0] ?? -1, hash: bytes.subarray(1, PAYLOAD_BYTES) };
}

function checkChecksum(bytes: Uint8Array): void {
  const expected = Buffer.from(sha256(sha256(bytes.subarray(0, PAYLOAD_BYTES))).subarray(0, CHECKSUM_BYTES)).toString('hex');
  const got = Buffer.from(bytes.subarray(PAYLOAD_BYTES)).toString('hex');
  if (expected !== got) throw new InvalidAddressError(`address checksum (Base58Check) is wrong: expected ${expected}, got ${got}`);
}
