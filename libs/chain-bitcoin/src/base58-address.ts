import { base58 } from '@scure/base';
import { encodeBase58Check, parseBase58Check } from '@chainwatch/chain-core';

/** One version byte and a hash of 20 bytes. */
export interface Base58Payload {
  readonly version: number;
  readonly hash: Uint8Array;
}

const BYTES = 21;

/** @throws InvalidAddressError for an illegal character, a wrong length or a wrong checksum; the version is the caller's */
export function parseBase58Address(input: string): Base58Payload {
  return toPayload(parseBase58Check(input, { bytes: BYTES, characters: [26, 35] }));
}

export function encodeBase58Address({ version, hash }: Base58Payload): string {
  return encodeBase58Check(Uint8Array.of(version, ...hash));
}

/** The payload of an address that was checked before. @throws Error when it is no Base58 */
export function readBase58Payload(canonical: string): Base58Payload {
  return toPayload(base58.decode(canonical));
}

function toPayload(bytes: Uint8Array): Base58Payload {
  return { version: bytes[0] ?? -1, hash: bytes.subarray(1, BYTES) };
}
