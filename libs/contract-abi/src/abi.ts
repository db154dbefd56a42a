/** The few pieces of the contract ABI that token calls need; words are 32 bytes as 64 hexadecimal digits. */
export const selectors = {
  name: '0x06fdde03',
  symbol: '0x95d89b41',
  decimals: '0x313ce567',
  totalSupply: '0x18160ddd',
  balanceOf: '0x70a08231',
} as const;

const textMax = 128;
const decoder = new TextDecoder('utf-8');

/** `balanceOf(address)` and the like; `address` is `0x` and 40 digits. */
export function encodeAddressCall(selector: string, address: string): string {
  return `${selector}${address.slice(2).padStart(64, '0')}`;
}

/** The first word of a result; undefined when it is shorter than one. */
export function decodeUint(result: string | undefined): bigint | undefined {
  if (result === undefined || !/^0x[0-9a-fA-F]{64}/.test(result)) return undefined;
  return BigInt(result.slice(0, 66));
}

/**
 * A text result: `string`, or `bytes32` as early tokens have it. At most 128 characters, without control characters;
 * what is not UTF-8 becomes U+FFFD. Undefined when it is neither.
 */
export function decodeText(result: string | undefined): string | undefined {
  if (result === undefined || !/^0x([0-9a-fA-F]{64})+/.test(result)) return undefined;
  const bytes = Buffer.from(result.slice(2), 'hex');
  const text = bytes.length === 32 ? trimZeros(bytes) : sliceString(bytes);
  return text === undefined ? undefined : clean(decoder.decode(text));
}

/** Text of bytes as hexadecimal digits without prefix, made harmless like `decodeText`'s. */
export function decodeBytes(digits: string): string {
  return clean(decoder.decode(Buffer.from(digits, 'hex')));
}

function sliceString(bytes: Buffer): Buffer | undefined {
  const offset = readLength(bytes, 0);
  const length = offset === undefined ? undefined : readLength(bytes, offset);
  if (offset === undefined || length === undefined) return undefined;
  const start = offset + 32;
  return start + length <= bytes.length ? bytes.subarray(start, start + length) : undefined;
}

/** A word that counts bytes of this result; undefined when it points outside. */
function readLength(bytes: Buffer, at: number): number | undefined {
  if (at + 32 > bytes.length) return undefined;
  for (let i = at; i < at + 28; i++) if (bytes[i] !== 0) return undefined;
  const length = bytes.readUInt32BE(at + 28);
  return length <= bytes.length ? length : undefined;
}

function trimZeros(bytes: Buffer): Buffer {
  const end = bytes.indexOf(0);
  return end < 0 ? bytes : bytes.subarray(0, end);
}

function clean(text: string): string {
  const visible = text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '').trim();
  return Array.from(visible).slice(0, textMax).join('');
}
