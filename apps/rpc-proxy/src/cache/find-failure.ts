// SPDX-License-Identifier: Apache-2.0
import { skipSpace, skipValue } from '../json/skip-value.ts';

/** Members that tell of a failure inside a result, in every spelling that nodes use. */
const ERROR_NAMES = ['"error"', '"Error"', '"errors"'].map((name) => Buffer.from(name));
const CODE_NAME = Buffer.from('"code"');
/** What a trace of a block names its transaction by, beside its result or its error. */
const ALONE =
  /\{\s*(?:"(?:txHash|transactionHash|txIndex|transactionPosition)"\s*:\s*(?:"\w*"|\d+)\s*,\s*)*$/;
const NO_ERROR = /^(?:null|false|0|""|\[\s*\]|\{\s*\})$/;
/** How far before an error the object that holds it may begin and still hold nothing else. */
const ALONE_BYTES_MAX = 256;
const ERROR_BYTES_MAX = 1_024;

/**
 * Whether a result holds an error of the node: one beside or in place of the part that was asked for, such as
 * `{"txHash":"0x…","error":"execution timeout"}` in the list of `debug_traceBlockByNumber`. Such an answer is neither
 * cached nor shared: the next caller may get the whole one.
 * @param isFact whether an error beside other members is a fact of the chain, such as a call that reverted
 */
export function holdsFailure(result: Buffer, isFact: (error: string) => boolean = () => false): boolean {
  return ERROR_NAMES.some((name) => holdsError(result, name, isFact)) || holdsErrorCode(result);
}

function holdsError(result: Buffer, name: Buffer, isFact: (error: string) => boolean): boolean {
  for (let at = result.indexOf(name); at !== -1; at = result.indexOf(name, at + name.length)) {
    const colon = skipSpace(result, at + name.length);
    // A value that reads the same, or the end of a text, is no member.
    if (result[colon] !== 0x3a) continue;
    const start = skipSpace(result, colon + 1);
    const end = skipValue(result, start);
    if (end === -1 || end - start > ERROR_BYTES_MAX) return true;
    const value = result.toString('utf8', start, end);
    if (NO_ERROR.test(value)) continue;
    const isFailure = !value.startsWith('"') || isAlone(result, at, end) || followsResult(result, at);
    if (isFailure || !isFact(value.slice(1, -1))) return true;
  }
  return false;
}

/** Whether the object that holds the error has nothing else in it but the name of a transaction. */
function isAlone(result: Buffer, from: number, to: number): boolean {
  const after = result[skipSpace(result, to)];
  const before = result.toString('latin1', Math.max(0, from - ALONE_BYTES_MAX), from);
  return after === 0x7d && ALONE.test(before);
}

/** Whether the error stands behind an object or a list: beside a whole result, not in a frame of it, whose members are texts. */
function followsResult(result: Buffer, from: number): boolean {
  return /[}\]]\s*,\s*$/.test(result.toString('latin1', Math.max(0, from - 16), from));
}

/** JSON-RPC's own error in the place of a result. Its codes are below zero. */
function holdsErrorCode(result: Buffer): boolean {
  for (let at = result.indexOf(CODE_NAME); at !== -1; at = result.indexOf(CODE_NAME, at + 1)) {
    const colon = skipSpace(result, at + CODE_NAME.length);
    if (result[colon] === 0x3a && result[skipSpace(result, colon + 1)] === 0x2d) return true;
  }
  return false;
}
