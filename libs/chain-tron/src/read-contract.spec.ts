// SPDX-License-Identifier: Apache-2.0
import { utils } from 'tronweb';
import { bytesOf, encodeBytes, encodeInt, intOf } from './protobuf.ts';
import { CONTRACT_TYPES, readContract } from './read-contract.ts';
import { describeFixtures, readJson } from './spec-fixtures.ts';
import type { WalletBlock, WalletTransaction } from './wallet-block.ts';

type RecordedTransaction = WalletTransaction & {
  readonly raw_data: { readonly contract: readonly { readonly type: string }[] };
};

interface LibraryTransaction {
  readonly contract: readonly { readonly parameter: { readonly value: LibraryValue } }[];
}

/** Digits in upper case, amounts as numbers. */
interface LibraryValue {
  readonly owner_address: string;
  readonly to_address?: string;
  readonly contract_address?: string;
  readonly amount?: number;
  readonly call_value?: number;
  readonly data?: string;
}

const digits = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex').toUpperCase();

const hex = (text: string): Buffer => Buffer.from(text, 'hex');
const [owner, victim] = [`41${'11'.repeat(20)}`, `41${'22'.repeat(20)}`] as const;

/** A transaction with one contract; `Any` keeps the bytes of its value as the sender wrote them. */
function makeTransaction(type: Buffer, value: string): Buffer {
  const any = Buffer.concat([encodeBytes(1, Buffer.from('type')), encodeBytes(2, hex(value))]);
  return encodeBytes(11, Buffer.concat([type, encodeBytes(2, any)]));
}

describe('a parameter that its sender wrote in a form of his own', () => {
  const transfer = encodeInt(1, 1n);
  // 10^13 sun, and 1 sun under a key of ten bytes, which Java reads as the same field.
  const twice = `0a15${owner}1215${victim}1880c0caf384a30298${'80'.repeat(8)}0101`;

  it('moves what java-tron moves', () => {
    const { parameter, unknown } = readContract(makeTransaction(transfer, twice));
    expect([bytesOf(parameter, 2).toString('hex'), intOf(parameter, 3), unknown]).toEqual([
      victim,
      1n,
      undefined,
    ]);
  });

  it('names its owner under a length of five bytes', () => {
    const told = readContract(makeTransaction(transfer, `0a9580808010${owner}1215${victim}1807`));
    expect([told.owner.toString('hex'), intOf(told.parameter, 3), told.unknown]).toEqual([
      owner,
      7n,
      undefined,
    ]);
  });

  it('has a kind by its lower 32 bits', () => {
    expect(readContract(makeTransaction(hex('088180808010'), twice)).type).toBe(1);
  });

  it.each([
    ['a parameter', transfer, `0a15${owner}12ff`, 'contract-form:1'],
    ['a new contract', encodeInt(1, 30n), `0a15${owner}120128`, 'contract-form:30'],
    ['a frozen part of a supply', encodeInt(1, 6n), `0a15${owner}2a0108`, 'contract-form:6'],
    ['a parameter of an unknown kind', encodeInt(1, 60n), '0a', 'contract-type:60'],
  ])('is an unknown part where %s cannot be read', (_what, type, value, kind) => {
    const memo = encodeBytes(10, Buffer.from('order 1042'));
    const told = readContract(Buffer.concat([makeTransaction(type, value), memo]));
    expect(told).toMatchObject({ type: -1, memo: 'order 1042', unknown: { kind } });
    expect([told.owner.length, told.parameter.size]).toEqual([0, 0]);
  });

  it('is an unknown part where nothing can be read, or there is none', () => {
    expect(readContract(hex('5a05')).unknown?.kind).toBe('transaction-form:unreadable');
    expect(readContract(hex('')).unknown?.kind).toBe('transaction-contracts:0');
  });
});

describeFixtures('readContract on recorded transactions', () => {
  const recorded = [
    ...readJson<WalletBlock>('java-tron-4.8.2-privnet.getblockbynum.json').transactions!,
    ...readJson<WalletBlock>('mainnet-78115149.getblockbynum-partial.json').transactions!,
    readJson<WalletTransaction>('mainnet-transfer_79729218_eceb1b.gettransactionbyid.json'),
    ...readJson<{ data: WalletTransaction[] }>('trongrid/blockatlas-accounts_txs_response.json').data,
  ].filter((tx) => tx.raw_data_hex !== undefined) as RecordedTransaction[];

  it('are of several kinds', () => {
    expect(new Set(recorded.map(({ raw_data: raw }) => raw.contract[0]!.type)).size).toBeGreaterThan(2);
  });

  it('reads what stands beside the contract, where it is text', () => {
    const rawData = Buffer.from(recorded[0]!.raw_data_hex, 'hex');
    const read = (data: Uint8Array) => readContract(Buffer.concat([rawData, encodeBytes(10, data)])).memo;
    expect(recorded.map(({ raw_data_hex: hex }) => readContract(Buffer.from(hex, 'hex')).memo)).toEqual(
      recorded.map(() => undefined),
    );
    expect(read(Buffer.from('order 1042 💸'))).toBe('order 1042 💸');
    expect(read(Buffer.of(0xde, 0xff))).toBeUndefined();
    expect(read(Buffer.from('x'.repeat(1_025)))).toBeUndefined();
  });

  it.each(recorded)('reads $txID as tronweb does', ({ raw_data_hex: hex, raw_data: raw }) => {
    const { type, owner, parameter } = readContract(Buffer.from(hex, 'hex'));
    const told = utils.deserializeTx.deserializeTransaction(raw.contract[0]!.type, hex) as LibraryTransaction;
    const { value } = told.contract[0]!.parameter;
    expect(digits(owner)).toBe(value.owner_address);
    if (type === CONTRACT_TYPES.transfer)
      expect([digits(bytesOf(parameter, 2)), intOf(parameter, 3)]).toEqual([
        value.to_address,
        BigInt(value.amount!),
      ]);
    if (type === CONTRACT_TYPES.triggerSmartContract)
      expect([digits(bytesOf(parameter, 2)), intOf(parameter, 3), digits(bytesOf(parameter, 4))]).toEqual([
        value.contract_address,
        BigInt(value.call_value!),
        value.data,
      ]);
  });
});
