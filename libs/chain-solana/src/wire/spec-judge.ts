// SPDX-License-Identifier: Apache-2.0
import { base58 } from '@scure/base';
import { MessageV1, VersionedTransaction } from '@solana/web3.js';
import { readWire } from './read-wire.ts';

/** Expects that the reader reads what `@solana/web3.js` reads, field by field. */
export function expectAsLibrary(bytes: Buffer): void {
  const wire = readWire(bytes);
  const { version, message, signatures } = VersionedTransaction.deserialize(bytes);
  const keys = message.staticAccountKeys.map((key) => key.toBytes());
  const instructions = message.compiledInstructions;
  expect([wire.version, wire.signatureCount, wire.keyCount, wire.instructionCount]).toEqual([
    version,
    message.header.numRequiredSignatures,
    keys.length,
    instructions.length,
  ]);
  expect(signatures).toHaveLength(wire.signatureCount);
  expect(Buffer.from(wire.firstSignature).equals(signatures[0]!)).toBe(true);
  expect(wire.signature).toBe(base58.encode(signatures[0]!));
  const others = keys.flatMap((key, index) =>
    Buffer.from(wire.keyBytesAt(index)).equals(key) && wire.isKeyAt(index, key) && wire.hasKey(key)
      ? []
      : [index],
  );
  expect(others).toEqual([]);
  expect(wire.keyAt(keys.length - 1)).toBe(base58.encode(keys.at(-1)!));
  expect(wire.firstProgramIndex).toBe(instructions[0]?.programIdIndex);
  expect(
    Array.from(wire.instructions(), ({ programIndex, accounts, data }) => [
      programIndex,
      [...accounts],
      Buffer.from(data).toString('hex'),
    ]),
  ).toEqual(
    instructions.map(({ programIdIndex, accountKeyIndexes, data }) => [
      programIdIndex,
      accountKeyIndexes,
      Buffer.from(data).toString('hex'),
    ]),
  );
  if (!(message instanceof MessageV1)) {
    expect(wire.config).toBeUndefined();
    expect(Buffer.from(wire.message).equals(message.serialize())).toBe(true);
    return;
  }
  const { priorityFee, ...config } = wire.config!;
  expect(
    withNulls({ ...config, priorityFee: priorityFee === undefined ? undefined : Number(priorityFee) }),
  ).toEqual(message.transactionConfig);
  // The library writes no message of version 1: what it signs is all before the signatures.
  const { numReadonlySignedAccounts, numReadonlyUnsignedAccounts } = message.header;
  expect([...wire.message.subarray(0, 4)]).toEqual([
    0x81,
    message.header.numRequiredSignatures,
    numReadonlySignedAccounts,
    numReadonlyUnsignedAccounts,
  ]);
  expect(base58.encode(wire.message.subarray(8, 40))).toBe(message.recentBlockhash);
  expect(wire.message.length + 64 * signatures.length).toBe(bytes.length);
}

function withNulls(config: object): object {
  return Object.fromEntries(
    Object.entries(config).map(([name, value]: [string, unknown]) => [name, value ?? null]),
  );
}
