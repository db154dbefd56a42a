import type { RawHeader } from './raw-block.ts';
import type { RlpWriter } from './rlp-writer.ts';

type Field = readonly ['quantity' | 'data', string | null | undefined];

/**
 * Writes a header as its hash is taken over it: the fields of the Yellow Paper, then what the forks appended
 * (London, Shanghai, Cancun, Prague), with Avalanche's own fields and AuRa's seal where the header carries them.
 */
export function encodeHeader(writer: RlpWriter, header: RawHeader): void {
  const mark = writer.size;
  const isAvalanche = typeof header.extDataHash === 'string';
  writeOptional(writer, isAvalanche ? avalancheFields(header) : forkFields(header));
  if (isAvalanche) writer.data(header.extDataHash);
  writeSeal(writer, header);
  writer.data(header.extraData);
  writer.quantity(header.timestamp);
  writer.quantity(header.gasUsed);
  writer.quantity(header.gasLimit);
  writer.quantity(header.number);
  writer.quantity(header.difficulty);
  writer.data(header.logsBloom);
  writer.data(header.receiptsRoot);
  writer.data(header.transactionsRoot);
  writer.data(header.stateRoot);
  writer.data(header.miner);
  writer.data(header.sha3Uncles);
  writer.data(header.parentHash);
  writer.list(mark);
}

function writeSeal(writer: RlpWriter, header: RawHeader): void {
  if (typeof header.mixHash !== 'string' && typeof header.auraSeal === 'string') {
    writer.data(header.auraSeal);
    writer.quantity(header.auraStep);
    return;
  }
  writer.data(header.nonce);
  writer.data(header.mixHash);
}

/** Fields after the last one that is present are left out; a gap before it is the empty string. */
function writeOptional(writer: RlpWriter, fields: readonly Field[]): void {
  let isAfterLast = true;
  for (let i = fields.length - 1; i >= 0; i--) {
    const [kind, value] = fields[i] ?? ['data', undefined];
    if (isAfterLast && typeof value !== 'string') continue;
    isAfterLast = false;
    if (kind === 'data') writer.data(value);
    else writer.quantity(value);
  }
}

function forkFields(header: RawHeader): readonly Field[] {
  return [
    ['quantity', header.baseFeePerGas],
    ['data', header.withdrawalsRoot],
    ['quantity', header.blobGasUsed],
    ['quantity', header.excessBlobGas],
    ['data', header.parentBeaconBlockRoot],
    ['data', header.requestsHash],
    ['data', header.blockAccessListHash],
    ['quantity', header.slotNumber],
  ];
}

function avalancheFields(header: RawHeader): readonly Field[] {
  return [
    ['quantity', header.baseFeePerGas],
    ['quantity', header.extDataGasUsed],
    ['quantity', header.blockGasCost],
    ['quantity', header.blobGasUsed],
    ['quantity', header.excessBlobGas],
    ['data', header.parentBeaconBlockRoot],
    ['quantity', header.timestampMilliseconds],
    ['quantity', header.minDelayExcess],
    ['quantity', header.targetExponent],
    ['quantity', header.minPriceExponent],
    ['quantity', header.settledHeight],
    ['quantity', header.settledGasUnix],
    ['quantity', header.settledGasNumerator],
    ['quantity', header.settledExcess],
  ];
}
