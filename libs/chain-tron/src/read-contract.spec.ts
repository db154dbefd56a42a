import { utils } from 'tronweb';
import { bytesOf, encodeBytes, intOf } from './protobuf.ts';
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
