// SPDX-License-Identifier: Apache-2.0
import { decodeMemo } from '@chainwatch/chain-core';
import type { ParsedTransaction } from './parse-transaction.ts';
import { MEMO_PROGRAMS, MEMO_PROGRAMS_BYTES } from './programs.ts';

/** The texts of instructions of the memo program, of other programs' calls too, in their order. */
export function readMemo(tx: ParsedTransaction): string | undefined {
  return hasMemo(tx) ? decodeMemo(readTexts(tx)) : undefined;
}

/** Most transactions have none; reading all of their instructions would cost more than the rest of them. */
function hasMemo({ wire, meta }: ParsedTransaction): boolean {
  if (wire === undefined) return true;
  const { writable = [], readonly = [] } = meta.loadedAddresses ?? {};
  return (
    MEMO_PROGRAMS_BYTES.some((key) => wire.hasKey(key)) ||
    [...writable, ...readonly].some((key) => MEMO_PROGRAMS.has(key))
  );
}

function* readTexts(tx: ParsedTransaction): Generator<Uint8Array> {
  for (const instruction of tx.instructions()) {
    const text = MEMO_PROGRAMS.has(instruction.program) ? instruction.readData() : undefined;
    if (text !== undefined) yield text;
  }
}
