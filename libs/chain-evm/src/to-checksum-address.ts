import { keccak256Hex } from './keccak.ts';

/** EIP-55 form of a lower-case address with prefix. */
export function toChecksumAddress(lowerCase: string): string {
  const digest = keccak256Hex(Buffer.from(lowerCase.slice(2), 'latin1'));
  let checksummed = '0x';
  for (let i = 0; i < 40; i++) {
    const character = lowerCase[i + 2] ?? '';
    checksummed += parseInt(digest[i] ?? '0', 16) >= 8 ? character.toUpperCase() : character;
  }
  return checksummed;
}
