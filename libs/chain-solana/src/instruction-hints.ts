// SPDX-License-Identifier: Apache-2.0
import type { Hint } from './pair-flows.ts';
import type { Instruction, ParsedTransaction } from './parse-transaction.ts';
import { SYSTEM_PROGRAM, TOKEN_2022_PROGRAM, TOKEN_PROGRAM } from './programs.ts';

/** System instructions that move lamports, by number: the offset of the amount and the index of the receiver. */
const SYSTEM_MOVES: Readonly<Record<number, { readonly amountAt: number; readonly toAt: number }>> = {
  0: { amountAt: 4, toAt: 1 }, // CreateAccount
  2: { amountAt: 4, toAt: 1 }, // Transfer
  11: { amountAt: 4, toAt: 2 }, // TransferWithSeed
};

/** Token instructions that move amounts. */
const TOKEN_TRANSFER = 3;
const TOKEN_TRANSFER_CHECKED = 12;
const TOKEN_FEE_EXTENSION = 26;
const TRANSFER_CHECKED_WITH_FEE = 1;

/** Lamports that instructions of the system program moved. */
export function* nativeHints(tx: ParsedTransaction): Generator<Hint> {
  for (const instruction of tx.instructions()) {
    if (instruction.program !== SYSTEM_PROGRAM) continue;
    const data = instruction.readData();
    if (data === undefined || data.length < 12) continue;
    const view = viewOf(data);
    const move = SYSTEM_MOVES[view.getUint32(0, true)];
    const from = instruction.accountAt(0);
    const to = move && instruction.accountAt(move.toAt);
    if (from !== undefined && to !== undefined && from !== to)
      yield { from, to, amountRaw: view.getBigUint64(move!.amountAt, true) };
  }
}

/** Amounts that instructions of the token programs moved between token accounts, whatever their mint. */
export function* tokenHints(tx: ParsedTransaction): Generator<Hint> {
  for (const instruction of tx.instructions()) {
    if (instruction.program !== TOKEN_PROGRAM && instruction.program !== TOKEN_2022_PROGRAM) continue;
    const hint = readTokenMove(instruction);
    if (hint !== undefined && hint.from !== hint.to) yield hint;
  }
}

function readTokenMove(instruction: Instruction): Hint | undefined {
  const data = instruction.readData();
  if (data === undefined) return undefined;
  const isPlain = data[0] === TOKEN_TRANSFER;
  const isChecked = data[0] === TOKEN_TRANSFER_CHECKED;
  const hasFee = data[0] === TOKEN_FEE_EXTENSION && data[1] === TRANSFER_CHECKED_WITH_FEE;
  const amountAt = hasFee ? 2 : 1;
  if ((!isPlain && !isChecked && !hasFee) || data.length < amountAt + 8) return undefined;
  const from = instruction.accountAt(0);
  const to = instruction.accountAt(isPlain ? 1 : 2);
  return from === undefined || to === undefined
    ? undefined
    : { from, to, amountRaw: viewOf(data).getBigUint64(amountAt, true) };
}

/** Hints between the owners of token accounts. */
export function* ownerHints(hints: Iterable<Hint>, ownerOf: ReadonlyMap<string, string>): Generator<Hint> {
  for (const { from, to, amountRaw } of hints) {
    const [sender, receiver] = [ownerOf.get(from), ownerOf.get(to)];
    if (sender !== undefined && receiver !== undefined && sender !== receiver)
      yield { from: sender, to: receiver, amountRaw };
  }
}

function viewOf(data: Uint8Array): DataView {
  return new DataView(data.buffer, data.byteOffset, data.byteLength);
}
