import { IncompleteBlockError } from '@chainwatch/chain-core';
import type { UnknownPart } from '@chainwatch/chain-core';
import { encodeHeader } from './encode-header.ts';
import { traitsAt } from './evm-traits.ts';
import type { EvmTraits } from './evm-traits.ts';
import { keccak256Hex } from './keccak.ts';
import { headerMembers } from './known-members.ts';
import type { RawHeader } from './raw-block.ts';
import { InvalidHexError } from './encode-rlp.ts';
import { describeMember, listUnknownMembers, UnknownParts } from './unknown-parts.ts';

/**
 * Proves that a header's hash is that of its fields. An unknown member does no harm where the hash matches
 * without it.
 * @returns the unknown members that keep the hash from matching, in which case nothing of the header is
 * proved; else none
 * @throws IncompleteBlockError unless the network is known to have headers of other shapes
 */
export function verifyHeader(header: RawHeader, traits: EvmTraits): readonly UnknownPart[] {
  if (traitsAt(traits, Number(header.number)).header === 'tolerant') return [];
  const got = hashHeader(header);
  if (got === header.hash) return [];
  const names = listUnknownMembers(header, headerMembers);
  const what = `header of block ${Number(header.number)}`;
  if (names.length === 0)
    throw new IncompleteBlockError(
      `${what} does not have its hash: expected ${header.hash}, got ${got} from its fields`,
    );
  const unknown = new UnknownParts();
  for (const name of names)
    unknown.add('header-field', name, {
      expected: `a header with the hash ${header.hash}`,
      got: describeMember(header, name),
    });
  return unknown.list;
}

/** Keccak-256 of the header's RLP, with prefix. @throws IncompleteBlockError when a field is not hexadecimal */
function hashHeader(header: RawHeader): string {
  try {
    return `0x${keccak256Hex(encodeHeader(header))}`;
  } catch (error) {
    if (!(error instanceof InvalidHexError)) throw error;
    throw new IncompleteBlockError(`header of block ${String(header.number)}: ${error.message}`, {
      cause: error,
    });
  }
}
