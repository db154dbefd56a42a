// SPDX-License-Identifier: Apache-2.0
import { publicKeyOf, type ConfigParts, type InstructionParts, type WireParts } from './spec-wire.ts';

/** A generator of numbers that a seed repeats (mulberry32). */
export class SpecRandom {
  #state: number;

  constructor(seed: number) {
    this.#state = seed;
  }

  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  /** Both ends included. */
  int(least: number, most: number): number {
    return least + Math.floor(this.next() * (most - least + 1));
  }

  pick<T>(items: readonly T[]): T {
    return items[this.int(0, items.length - 1)]!;
  }

  bytes(count: number): Uint8Array {
    return Uint8Array.from({ length: count }, () => this.int(0, 255));
  }
}

interface Wanted {
  readonly version: WireParts['version'];
  readonly signatureCount: number;
  /** At least the number of signatures. */
  readonly keyCount: number;
  readonly instructionCount: number;
  /** Of version 1: which of the four values are set, as bits 0 to 3. */
  readonly values?: number;
  /** Secrets for the first keys, which sign. */
  readonly secrets?: readonly Uint8Array[];
}

/** Bytes of a transaction. */
const SIZE_MAX = 4_096;
const SIZE_MAX_BEFORE_1 = 1_232;

/** Parts that the rules of the version allow, apart from their meaning. */
export function drawParts(random: SpecRandom, wanted: Wanted): WireParts {
  const { version, signatureCount, keyCount, secrets = [] } = wanted;
  const required = signatureCount;
  const readonlySigned = random.int(0, required - 1);
  const readonlyUnsigned = random.int(0, keyCount - required);
  const keys = Array.from({ length: keyCount }, (_, index) =>
    secrets[index] === undefined ? random.bytes(32) : publicKeyOf(secrets[index]),
  );
  const config = version === 1 ? drawConfig(random, wanted.values ?? 0) : undefined;
  // The most that a version has beside accounts and data of its instructions: values, look-ups, lengths.
  const fixed = 42 + 32 * keyCount + 64 * signatureCount + 20 + 4 * wanted.instructionCount;
  const room = version === 1 ? SIZE_MAX - fixed : SIZE_MAX_BEFORE_1 - fixed - 100;
  return {
    version,
    header: { required, readonlySigned, readonlyUnsigned },
    keys,
    lifetime: random.bytes(32),
    instructions: drawInstructions(random, wanted, Math.max(0, room)),
    ...(config !== undefined && { config }),
    ...(version === 0 && {
      lookups: Array.from({ length: random.int(0, 1) }, () => ({
        key: random.bytes(32),
        writable: drawIndexes(random, 5, 256),
        readonly: drawIndexes(random, 5, 256),
      })),
    }),
  };
}

/** Fills the data of the last instruction up to a transaction of 4,096 bytes. */
export function fillUp(parts: WireParts, bytes: number): WireParts {
  const missing = SIZE_MAX - bytes;
  const last = parts.instructions.at(-1);
  if (last === undefined || missing <= 0) return parts;
  const data = Uint8Array.from([...last.data, ...new Uint8Array(missing).fill(0xd7)]);
  return { ...parts, instructions: [...parts.instructions.slice(0, -1), { ...last, data }] };
}

/** `@solana/web3.js` reads priority fees up to 2^53 lamports. */
function drawConfig(random: SpecRandom, values: number): ConfigParts {
  const u32 = (): number => random.int(0, 2 ** 32 - 1);
  return {
    ...((values & 1) !== 0 && { priorityFee: (BigInt(u32() >>> 11) << 32n) | BigInt(u32()) }),
    ...((values & 2) !== 0 && { computeUnitLimit: u32() }),
    ...((values & 4) !== 0 && { loadedAccountsDataSizeLimit: u32() }),
    ...((values & 8) !== 0 && { heapSize: u32() }),
  };
}

/** `room` is how many bytes their accounts and data have together. */
function drawInstructions(
  random: SpecRandom,
  { keyCount, instructionCount }: Wanted,
  room: number,
): InstructionParts[] {
  const share = Math.floor(room / Math.max(1, instructionCount));
  return Array.from({ length: instructionCount }, () => {
    const accounts = drawIndexes(random, Math.min(255, share >> 1), keyCount);
    const data = random.bytes(random.int(0, Math.max(0, share - accounts.length)));
    return { programIndex: random.int(0, keyCount - 1), accounts, data };
  });
}

function drawIndexes(random: SpecRandom, countMax: number, below: number): number[] {
  return Array.from({ length: random.int(0, countMax) }, () => random.int(0, below - 1));
}
