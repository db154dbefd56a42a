import { ChainClientError } from '@chainwatch/chain-core';
import type { BlockHeader } from '@chainwatch/chain-core';
import { normalizeHex } from './canonical-hex.ts';
import type { EvmTraits } from './evm-traits.ts';
import { HEADER_FIELDS } from './hex-forms.ts';
import type { RawHeader } from './raw-block.ts';
import { verifyHeader } from './verify-header.ts';

const REQUIRED_FIELDS = ['hash', 'parentHash', 'number', 'timestamp'] as const;

/**
 * A header from a node's answer, its hash proved. A header with an unknown member is taken at its word here;
 * whoever reads its block decides whether to accept it.
 * @throws ChainClientError when it is no header, IncompleteBlockError when the hash is not that of the fields
 */
export function parseHeader(json: unknown, traits: EvmTraits): BlockHeader {
  const header = toRawHeader(json);
  verifyHeader(header, traits);
  return toBlockHeader(header);
}

/** The same for a header without unknown members; undefined for one that has some. */
export function parseKnownHeader(json: unknown, traits: EvmTraits): BlockHeader | undefined {
  const header = toRawHeader(json);
  return verifyHeader(header, traits).length === 0 ? toBlockHeader(header) : undefined;
}

function toBlockHeader(header: RawHeader): BlockHeader {
  return {
    number: Number(header.number),
    hash: header.hash,
    parentHash: header.parentHash,
    timestamp: Number(header.timestamp),
  };
}

/** @throws ChainClientError when `json` lacks what every header has, IncompleteBlockError when a field is malformed */
export function toRawHeader(json: unknown): RawHeader {
  if (typeof json !== 'object' || json === null)
    throw new ChainClientError(`expected a block, got ${typeof json}`);
  const header = json as Partial<RawHeader>;
  for (const field of REQUIRED_FIELDS) {
    const value = header[field];
    if (typeof value !== 'string')
      throw new ChainClientError(
        `expected a block with ${field}, got ${value === undefined ? 'none' : typeof value}`,
      );
  }
  normalizeHex(header, HEADER_FIELDS, 'the block');
  return json as RawHeader;
}
