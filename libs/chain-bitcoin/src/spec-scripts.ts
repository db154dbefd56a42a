// SPDX-License-Identifier: Apache-2.0
import fc from 'fast-check';

const bytesOf = (minLength: number, maxLength = minLength): fc.Arbitrary<string> =>
  fc.uint8Array({ minLength, maxLength }).map((bytes) => Buffer.from(bytes).toString('hex'));

/** Hex of any script that has an address. */
export const anyScript: fc.Arbitrary<string> = fc.oneof(
  bytesOf(20).map((hash) => `76a914${hash}88ac`),
  bytesOf(20).map((hash) => `a914${hash}87`),
  bytesOf(20).map((program) => `0014${program}`),
  bytesOf(32).map((program) => `0020${program}`),
  bytesOf(32).map((program) => `5120${program}`),
  fc
    .tuple(fc.integer({ min: 1, max: 16 }), bytesOf(2, 40))
    .map(([version, program]) => Buffer.of(0x50 + version, program.length / 2).toString('hex') + program),
);
