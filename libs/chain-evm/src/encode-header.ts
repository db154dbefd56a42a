import type { Hex } from 'viem';
import { data, encodeRlp, quantity } from './encode-rlp.ts';
import type { RawHeader } from './raw-block.ts';

type Field = readonly [(hex: string | null | undefined) => Hex, string | null | undefined];

/**
 * The encoding of a header that its hash covers: the fields of the Yellow Paper, then what the forks appended
 * (London, Shanghai, Cancun, Prague), with Avalanche's own fields and AuRa's seal where the header carries
 * them.
 * @throws InvalidHexError
 */
export function encodeHeader(header: RawHeader): Uint8Array {
  const isAvalanche = typeof header.extDataHash === 'string';
  return encodeRlp([
    data(header.parentHash),
    data(header.sha3Uncles),
    data(header.miner),
    data(header.stateRoot),
    data(header.transactionsRoot),
    data(header.receiptsRoot),
    data(header.logsBloom),
    quantity(header.difficulty),
    quantity(header.number),
    quantity(header.gasLimit),
    quantity(header.gasUsed),
    quantity(header.timestamp),
    data(header.extraData),
    ...sealFields(header),
    ...(isAvalanche ? [data(header.extDataHash)] : []),
    ...encodeOptional(isAvalanche ? avalancheFields(header) : forkFields(header)),
  ]);
}

function sealFields(header: RawHeader): readonly Hex[] {
  return typeof header.mixHash !== 'string' && typeof header.auraSeal === 'string'
    ? [quantity(header.auraStep), data(header.auraSeal)]
    : [data(header.mixHash), data(header.nonce)];
}

/** Fields after the last one that is present are left out; a gap before it is the empty string. */
function encodeOptional(fields: readonly Field[]): readonly Hex[] {
  const last = fields.findLastIndex(([, value]) => typeof value === 'string');
  return fields.slice(0, last + 1).map(([encode, value]) => encode(value));
}

function forkFields(header: RawHeader): readonly Field[] {
  return [
    [quantity, header.baseFeePerGas],
    [data, header.withdrawalsRoot],
    [quantity, header.blobGasUsed],
    [quantity, header.excessBlobGas],
    [data, header.parentBeaconBlockRoot],
    [data, header.requestsHash],
    [data, header.blockAccessListHash],
    [quantity, header.slotNumber],
  ];
}

function avalancheFields(header: RawHeader): readonly Field[] {
  return [
    [quantity, header.baseFeePerGas],
    [quantity, header.extDataGasUsed],
    [quantity, header.blockGasCost],
    [quantity, header.blobGasUsed],
    [quantity, header.excessBlobGas],
    [data, header.parentBeaconBlockRoot],
    [quantity, header.timestampMilliseconds],
    [quantity, header.minDelayExcess],
    [quantity, header.targetExponent],
    [quantity, header.minPriceExponent],
    [quantity, header.settledHeight],
    [quantity, header.settledGasUnix],
    [quantity, header.settledGasNumerator],
    [quantity, header.settledExcess],
  ];
}
