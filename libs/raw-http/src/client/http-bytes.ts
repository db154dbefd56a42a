import { MalformedReplyError } from './malformed-reply-error.ts';

export const LF = 0x0a;
export const CR = 0x0d;
export const COLON = 0x3a;

/** RFC 9110, section 5.6.2: the bytes of names. */
export const IS_TOKEN = tableOf((byte) => /[!#$%&'*+\-.^_`|~0-9A-Za-z]/.test(String.fromCharCode(byte)));
/** RFC 9110, section 5.5: the bytes of values, blanks included. */
export const IS_VALUE = tableOf((byte) => byte === 0x09 || (byte >= 0x20 && byte !== 0x7f));

export function isBlank(byte: number): boolean {
  return byte === 0x20 || byte === 0x09;
}

/**
 * The place after the end of a line. A line feed alone does not end a line, because readers disagree about it.
 * @throws MalformedReplyError
 */
export function endOfLine(bytes: Buffer, at: number): number {
  if (bytes[at] !== CR || bytes[at + 1] !== LF) throw new MalformedReplyError('expected the end of a line');
  return at + 2;
}

function tableOf(isIn: (byte: number) => boolean): Uint8Array {
  return Uint8Array.from({ length: 256 }, (_, byte) => (isIn(byte) ? 1 : 0));
}
