import { decodeUint } from '@chainwatch/contract-abi';

/** Same address on every chain that has it (github.com/mds1/multicall). */
export const multicall3Address = '0xca11bde05977b3631167028862be2a173976ca11';
/** Selector of its `getEthBalance(address)`. */
export const getEthBalance = '0x4d2301cc';

const aggregate3 = '0x82ad56cb';

export interface ContractCall {
  readonly to: string;
  readonly data: string;
}

/** Call data of `aggregate3((address,bool,bytes)[])`, each call allowed to fail. */
export function encodeAggregate(calls: readonly ContractCall[]): string {
  const heads: string[] = [];
  const tails: string[] = [];
  let offset = calls.length * 32;
  for (const { to, data } of calls) {
    const digits = data.slice(2);
    const padded = digits.padEnd(Math.ceil(digits.length / 64) * 64, '0');
    const tail = `${to.slice(2).padStart(64, '0')}${word(1)}${word(96)}${word(digits.length / 2)}${padded}`;
    heads.push(word(offset));
    tails.push(tail);
    offset += tail.length / 2;
  }
  return `${aggregate3}${word(32)}${word(calls.length)}${heads.join('')}${tails.join('')}`;
}

/** Return data of each call, undefined for one that failed; undefined as a whole when `result` is not such an answer. */
export function decodeAggregate(result: string, count: number): (string | undefined)[] | undefined {
  const body = result.slice(2);
  const base = readNumber(body, 0);
  if (base === undefined || readNumber(body, base) !== count) return undefined;
  const list = base + 32;
  const results: (string | undefined)[] = [];
  for (let i = 0; i < count; i++) {
    const entry = readNumber(body, list + i * 32);
    if (entry === undefined) return undefined;
    const at = list + entry;
    const bytesAt = readNumber(body, at + 32);
    const length = bytesAt === undefined ? undefined : readNumber(body, at + bytesAt);
    if (bytesAt === undefined || length === undefined) return undefined;
    const start = (at + bytesAt + 32) * 2;
    const data = body.slice(start, start + length * 2);
    if (data.length !== length * 2) return undefined;
    results.push(readNumber(body, at) === 1 ? `0x${data}` : undefined);
  }
  return results;
}

function word(value: number): string {
  return value.toString(16).padStart(64, '0');
}

function readNumber(body: string, at: number): number | undefined {
  const value = decodeUint(`0x${body.slice(at * 2, at * 2 + 64)}`);
  return value === undefined || value > 0xffffffffn ? undefined : Number(value);
}
