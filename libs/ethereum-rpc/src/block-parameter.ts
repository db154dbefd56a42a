/** `moving`: follows the head; `hash`: its height is not known here; `never`: what it means is not known. */
export type BlockParameter = number | 'moving' | 'hash' | 'never';

/** A block parameter: a number, a tag, or an object of EIP-1898. An absent one means latest. */
export function readBlockParameter(value: unknown): BlockParameter {
  if (
    value === undefined ||
    value === null ||
    value === 'latest' ||
    value === 'safe' ||
    value === 'finalized'
  )
    return 'moving';
  if (value === 'earliest') return 0;
  if (typeof value === 'object')
    return readBlockObject(value as { blockHash?: unknown; blockNumber?: unknown });
  if (typeof value !== 'string' || !/^0x[0-9a-fA-F]+$/.test(value)) return 'never';
  if (value.length === 66) return 'hash';
  return value.length <= 15 ? Number(value) : 'never';
}

function readBlockObject({
  blockHash,
  blockNumber,
}: {
  blockHash?: unknown;
  blockNumber?: unknown;
}): BlockParameter {
  if (typeof blockHash === 'string') return 'hash';
  return blockNumber === undefined ? 'never' : readBlockParameter(blockNumber);
}
