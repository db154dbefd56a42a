// SPDX-License-Identifier: Apache-2.0
/** Hexadecimal digits with another one at a place, which a property chooses; a prefix 0x stays. */
export function changeDigit(hex: string, at: number): string {
  const start = hex.startsWith('0x') ? 2 : 0;
  const place = start + (at % (hex.length - start));
  const digit = (Number.parseInt(hex[place]!, 16) + 1 + (at % 15)) % 16;
  return hex.slice(0, place) + digit.toString(16) + hex.slice(place + 1);
}
