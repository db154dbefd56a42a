// SPDX-License-Identifier: Apache-2.0
import { decodeMemo, type UtxoOutput } from '@chainwatch/chain-core';

const OP_RETURN = 0x6a;
const OP_PUSHDATA1 = 0x4c;
const OP_PUSHDATA4 = 0x4e;

/** The text in outputs that nobody can spend, in their order. */
export function readMemo(outputs: readonly UtxoOutput[]): string | undefined {
  const scripts = outputs.filter(({ matchKey }) => matchKey.startsWith('6a'));
  return scripts.length === 0
    ? undefined
    : decodeMemo(scripts.map(({ matchKey }) => readPushes(Buffer.from(matchKey, 'hex'))));
}

/** What the script pushes behind OP_RETURN, together; nothing where it does something else, as protocols do. */
function readPushes(script: Buffer): Buffer {
  const pushes: Buffer[] = [];
  for (let at = 1; at < script.length; ) {
    const opcode = script[at]!;
    if (script[0] !== OP_RETURN || opcode > OP_PUSHDATA4) return Buffer.alloc(0);
    const lengthBytes = opcode < OP_PUSHDATA1 ? 0 : 2 ** (opcode - OP_PUSHDATA1);
    if (at + 1 + lengthBytes > script.length) return Buffer.alloc(0);
    const length = lengthBytes === 0 ? opcode : script.readUIntLE(at + 1, lengthBytes);
    const from = at + 1 + lengthBytes;
    if (from + length > script.length) return Buffer.alloc(0);
    pushes.push(script.subarray(from, from + length));
    at = from + length;
  }
  return Buffer.concat(pushes);
}
