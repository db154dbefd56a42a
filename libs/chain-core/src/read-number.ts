// SPDX-License-Identifier: Apache-2.0
const QUOTE = 0x22;
const NUMBER = /^(?:"0x([0-9a-fA-F]{1,13})"|(\d{1,15}))$/;
const VALUE_BYTES_MAX = 32;

/**
 * The number at a path of members, in decimal or as a hexadecimal quantity. A member by its exact place: texts that
 * strangers wrote into the same answer are never taken for it. The body may be cut: what stands before the cut is read.
 *
 * @example
 * readNumber(Buffer.from('{"result":{"context":{"slot":7}}}'), ['result', 'context', 'slot']); // 7
 */
export function readNumber(body: Buffer, path: readonly string[]): number | undefined {
  let at = skipSpace(body, 0);
  for (const name of path) {
    at = findMember(body, at, name);
    if (at === -1) return undefined;
  }
  const end = skipValue(body, at);
  if (end === -1 || end - at > VALUE_BYTES_MAX) return undefined;
  const found = NUMBER.exec(body.toString('latin1', at, end));
  if (found === null) return undefined;
  return found[1] === undefined ? Number(found[2]) : Number.parseInt(found[1], 16);
}

/** Where the value of a member starts, or the first item of a list for `0`; -1 if there is none. */
function findMember(body: Buffer, from: number, name: string): number {
  let at = skipSpace(body, from + 1);
  if (body[from] === 0x5b) return name === '0' && body[at] !== 0x5d ? at : -1;
  if (body[from] !== 0x7b) return -1;
  while (body[at] === QUOTE) {
    const nameEnd = skipString(body, at);
    if (nameEnd === -1) return -1;
    const colon = skipSpace(body, nameEnd);
    if (body[colon] !== 0x3a) return -1;
    const value = skipSpace(body, colon + 1);
    if (nameEnd - at - 2 === name.length && body.toString('latin1', at + 1, nameEnd - 1) === name)
      return value;
    const end = skipValue(body, value);
    const comma = end === -1 ? -1 : skipSpace(body, end);
    if (comma === -1 || body[comma] !== 0x2c) return -1;
    at = skipSpace(body, comma + 1);
  }
  return -1;
}

function skipSpace(body: Buffer, from: number): number {
  let at = from;
  while (body[at] === 0x20 || body[at] === 0x0a || body[at] === 0x0d || body[at] === 0x09) at += 1;
  return at;
}

function skipString(body: Buffer, from: number): number {
  for (let at = body.indexOf(QUOTE, from + 1); at !== -1; at = body.indexOf(QUOTE, at + 1)) {
    let slashes = 0;
    while (body[at - 1 - slashes] === 0x5c) slashes += 1;
    if (slashes % 2 === 0) return at + 1;
  }
  return -1;
}

/** The place behind a value; -1 if the body ends in it. */
function skipValue(body: Buffer, from: number): number {
  let depth = 0;
  for (let at = from; at < body.length; at += 1) {
    const byte = body[at]!;
    if (byte === QUOTE) {
      at = skipString(body, at) - 1;
      if (at < 0) return -1;
      if (depth === 0) return at + 1;
    } else if (byte === 0x7b || byte === 0x5b) depth += 1;
    else if (byte === 0x7d || byte === 0x5d) {
      if (depth === 0) return at === from ? -1 : at;
      depth -= 1;
      if (depth === 0) return at + 1;
    } else if (depth === 0 && (byte === 0x2c || byte <= 0x20)) return at === from ? -1 : at;
  }
  return -1;
}
