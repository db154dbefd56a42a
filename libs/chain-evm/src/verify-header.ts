import { IncompleteBlockError } from '@chainwatch/chain-core';
import { encodeHeader } from './encode-header.ts';
import { traitsAt } from './evm-traits.ts';
import type { EvmTraits } from './evm-traits.ts';
import { keccak256Hex } from './keccak.ts';
import type { RawHeader } from './raw-block.ts';
import { InvalidHexError, RlpWriter } from './rlp-writer.ts';

const writer = new RlpWriter();

/**
 * Proves that a header's fields are those its hash was taken over.
 * @throws IncompleteBlockError unless the network is known to have headers of other shapes
 */
export function verifyHeader(header: RawHeader, traits: EvmTraits): void {
  if (traitsAt(traits, Number(header.number)).header === 'tolerant') return;
  const got = hashHeader(header);
  if (got === header.hash) return;
  throw new IncompleteBlockError(
    `header of block ${Number(header.number)} does not have its hash: expected ${header.hash}, got ${got} from its fields`,
  );
}

/** Keccak-256 of the header's RLP, with prefix. @throws IncompleteBlockError when a field is not hexadecimal */
function hashHeader(header: RawHeader): string {
  writer.reset();
  try {
    encodeHeader(writer, header);
  } catch (error) {
    if (!(error instanceof InvalidHexError)) throw error;
    throw new IncompleteBlockError(`header of block ${String(header.number)}: ${error.message}`, { cause: error });
  }
  return `0x${keccak256Hex(writer.written)}`;
}
