// SPDX-License-Identifier: Apache-2.0
import type { Network, Transaction } from '@chainwatch/chain-core';
import { decodeBlock } from './decode-block.ts';
import { computeMerkleRoot } from './merkle-root.ts';
import { NO_LOOKUPS } from './read-lookups.ts';
import { tronNetworks } from './networks.ts';
import { bytesOf, intOf, readFields } from './protobuf.ts';
import { readContract } from './read-contract.ts';
import { sha256 } from './sha256.ts';
import { describeFixtures, readJson } from './spec-fixtures.ts';
import { toAddress } from './to-address.ts';
import { verifyBlock } from './verify-block.ts';
import { verifyHeader } from './verify-header.ts';
import type { TransactionInfo, WalletBlock, WalletTransaction } from './wallet-block.ts';
import { encodeTransaction } from './encode-transaction.ts';

const network = tronNetworks.find(({ name }) => name === 'tron') as Network;
const NATIVE = network.native!.gid;
const strip = (hex: string): string => hex.replace(/^0x/, '');
const tron = (hex: string): string => toAddress(strip(hex).slice(2));

/** Decodes transactions as if they were a block of their own: recordings are parts of blocks. */
function decode(
  transactions: readonly WalletTransaction[],
  infos: readonly Partial<TransactionInfo>[],
): readonly Transaction[] {
  const parts = transactions.map((tx, index) => {
    const info = { id: tx.txID, ...infos[index] };
    return {
      hash: tx.txID,
      contract: readContract(Buffer.from(tx.raw_data_hex, 'hex')),
      isFailed: tx.ret?.[0]?.['contractRet'] !== 'SUCCESS',
      info,
    };
  });
  const header = { number: 1, hash: 'a', parentHash: 'b', timestamp: 1 };
  return decodeBlock(network, { header, transactions: parts }, NO_LOOKUPS).transactions;
}

/** The log that a call of transfer or transferFrom leaves: what the recording says it did. */
interface ExpectedTransfer {
  readonly txId: string;
  readonly txLeaf: string;
  readonly encodedTx: string;
  readonly fromTron: string;
  readonly toTron: string;
  readonly amount: string;
  readonly success: boolean;
  readonly tronTokenEvm: string;
  readonly selector: string;
}

describeFixtures('recorded headers', () => {
  it('have the ids that are computed from their fields: 100 of mainnet in a row', () => {
    const { blockHeaderRawBytes, blockIds, blockNumbers } = readJson<{
      blockHeaderRawBytes: string[];
      blockIds: string[];
      blockNumbers: string[];
    }>('mainnet-headers-78000000-78000099.json');
    let parent: string | undefined;
    for (const [index, raw] of blockHeaderRawBytes.entries()) {
      const fields = readFields(Buffer.from(strip(raw), 'hex'));
      const hex = (number: number): string => bytesOf(fields, number).toString('hex');
      const int = (number: number): number => Number(intOf(fields, number));
      const rawData = {
        timestamp: int(1),
        txTrieRoot: hex(2),
        parentHash: hex(3),
        number: int(7),
        witness_address: hex(9),
        version: int(10),
      };
      const blockID = strip(blockIds[index]!).padStart(64, '0');
      const { header, unknowns } = verifyHeader({ blockID, block_header: { raw_data: rawData } });
      expect(unknowns).toEqual([]);
      expect(header).toMatchObject({ number: Number(blockNumbers[index]), hash: blockID });
      if (parent !== undefined) expect(header.parentHash).toBe(parent);
      parent = header.hash;
    }
  });

  it('are not accepted with one field changed', () => {
    const block = readJson<WalletBlock>('java-tron-4.8.2-privnet.getblockbynum.json');
    expect(verifyHeader(block)).toMatchObject({
      header: { number: 165, timestamp: 1_790_865_510 },
      unknowns: [],
    });
    const changed = {
      ...block,
      block_header: { raw_data: { ...block.block_header.raw_data, timestamp: 1_790_865_513_000 } },
    };
    expect(() => verifyHeader(changed)).toThrow('does not have its id');
  });
});

describeFixtures('recorded trees of transactions', () => {
  it('come out as the header of mainnet block 78812179 has it, from its 446 leaves', () => {
    const proof = readJson<{ leaves: string[]; headerTxTrieRoot: string; encodedTx: string; txLeaf: string }>(
      'mainnet-tron_tx_proof_78812179_1d649769f0ecf78bd.json',
    );
    expect(
      computeMerkleRoot(proof.leaves.map((leaf) => Buffer.from(strip(leaf), 'hex'))).toString('hex'),
    ).toBe(strip(proof.headerTxTrieRoot));
    const tx = readJson<WalletTransaction>(
      'mainnet-tron_tx_proof_78812179_1d649769f0ecf78bd.gettransactionbyid.json',
    );
    expect(encodeTransaction(Buffer.from(tx.raw_data_hex, 'hex'), tx).toString('hex')).toBe(
      strip(proof.encodedTx),
    );
    expect(sha256(encodeTransaction(Buffer.from(tx.raw_data_hex, 'hex'), tx)).toString('hex')).toBe(
      strip(proof.txLeaf),
    );
  });

  it('prove a whole block of java-tron, and refuse it with a transaction left out or its result changed', () => {
    const block = readJson<WalletBlock>('java-tron-4.8.2-privnet.getblockbynum.json');
    const infos = readJson<TransactionInfo[]>('java-tron-4.8.2-privnet.transactioninfos.json').filter(
      ({ blockNumber }) => blockNumber === 165,
    );
    const ref = { number: 165, hash: block.blockID };
    const decoded = decodeBlock(network, verifyBlock(ref, block, infos), NO_LOOKUPS);
    expect(decoded.transactions).toEqual([
      expect.objectContaining({
        hash: block.transactions![0]!.txID,
        from: tron('41dcf2957055e8fcde477a077ecfeddf5ab2357547'),
        isFailed: false,
        transfers: [],
      }),
    ]);
    expect(() => verifyBlock(ref, { ...block, transactions: [] }, infos)).toThrow('txTrieRoot');
    const failed = { ...block.transactions![0]!, ret: [{ contractRet: 'REVERT' }] };
    expect(() => verifyBlock(ref, { ...block, transactions: [failed] }, infos)).toThrow('txTrieRoot');
    expect(() => verifyBlock(ref, block, [])).toThrow('expected records of 1 transactions, got 0');
    expect(() => verifyBlock(ref, block, [{ ...infos[0]!, blockNumber: 164 }])).toThrow(
      'expected one of block 165',
    );
  });
});

describeFixtures('recorded TRC-20 transfers of mainnet block 78115149', () => {
  const { trc20Txs } = readJson<{ trc20Txs: ExpectedTransfer[] }>('mainnet-78115149.trc20-expected.json');
  const { transactions = [] } = readJson<WalletBlock>('mainnet-78115149.getblockbynum-partial.json');

  it('hash to their ids and leaves', () => {
    expect(transactions).toHaveLength(55);
    for (const [index, tx] of transactions.entries()) {
      const rawData = Buffer.from(tx.raw_data_hex, 'hex');
      expect(sha256(rawData).toString('hex')).toBe(tx.txID);
      expect(tx.txID).toBe(strip(trc20Txs[index]!.txId));
      expect(sha256(encodeTransaction(rawData, tx)).toString('hex')).toBe(strip(trc20Txs[index]!.txLeaf));
    }
  });

  it('decode to their parties and amounts by logs, whose address words have stray bytes in the calls', () => {
    const word = (hex: string): string => strip(hex).padStart(64, '0');
    const infos = trc20Txs.map(({ fromTron, toTron, amount, success, tronTokenEvm }) => ({
      fee: 0,
      log: success
        ? [
            {
              address: strip(tronTokenEvm),
              topics: [
                'ddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef',
                word(strip(fromTron).slice(2)),
                word(strip(toTron).slice(2)),
              ],
              data: word(BigInt(amount).toString(16)),
            },
          ]
        : [],
    }));
    const decoded = decode(transactions, infos);
    expect(
      transactions.filter(({ raw_data_hex: hex }) => /(a9059cbb|23b872dd)0{22}41/.test(hex)).length,
    ).toBeGreaterThan(0);
    for (const [index, { fromTron, toTron, amount, success, selector }] of trc20Txs.entries()) {
      const tx = decoded[index]!;
      expect(tx).toMatchObject({
        hash: strip(trc20Txs[index]!.txId),
        isFailed: !success,
        to: 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t',
      });
      if (strip(selector) === 'a9059cbb') expect(tx.from).toBe(tron(fromTron));
      expect(
        tx.transfers.map(({ type, assetGid, from, to, amountRaw }) => [type, assetGid, from, to, amountRaw]),
      ).toEqual(
        success
          ? [
              [
                'token',
                `${network.gid}/trc20:TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t`,
                tron(fromTron),
                tron(toTron),
                BigInt(amount),
              ],
            ]
          : [],
      );
    }
  });
});

describeFixtures('recorded transactions', () => {
  it('is TRX from one account to another', () => {
    const { expected } = readJson<{ expected: { senderTron: string; toTron: string; amountSun: string } }>(
      'mainnet-transfer_79729218_eceb1b.json',
    );
    const [tx] = decode(
      [readJson<WalletTransaction>('mainnet-transfer_79729218_eceb1b.gettransactionbyid.json')],
      [{}],
    );
    expect(tx).toMatchObject({
      from: tron(expected.senderTron),
      to: tron(expected.toTron),
      fee: { assetGid: NATIVE, amountRaw: 0n, payer: tron(expected.senderTron) },
      transfers: [
        {
          type: 'native',
          assetGid: NATIVE,
          from: tron(expected.senderTron),
          to: tron(expected.toTron),
          amountRaw: BigInt(expected.amountSun),
        },
      ],
    });
  });

  it('is TRC-10, whose id stands in the transaction', () => {
    const tx = findTransaction(readJson('trongrid/account-transactions-trc10-transfer.json'));
    const [decoded] = decode([tx], [{}]);
    expect(sha256(Buffer.from(tx.raw_data_hex, 'hex')).toString('hex')).toBe(tx.txID);
    expect(decoded?.transfers).toMatchObject([
      {
        type: 'token',
        assetGid: `${network.gid}/trc10:1005119`,
        to: 'TGJn1wnUYHJbvN88cynZbsAz2EMeZq73yx',
        amountRaw: 88_888_888n,
      },
    ]);
  });

  it('burns its fee when it fails: OUT_OF_ENERGY', () => {
    const infos = readJson<TransactionInfo[]>('mainnet-transactioninfo-success-failed-trx.json');
    const call = readJson<WalletBlock>('mainnet-78115149.getblockbynum-partial.json').transactions![0]!;
    const [success, failed, native] = decode(
      [
        call,
        { ...call, ret: [{ contractRet: 'OUT_OF_ENERGY' }] },
        readJson<WalletTransaction>('mainnet-transfer_79729218_eceb1b.gettransactionbyid.json'),
      ],
      infos,
    );
    expect(success).toMatchObject({
      isFailed: false,
      fee: { amountRaw: 345_000n },
      transfers: [{ type: 'token', amountRaw: 3_500_000n }],
    });
    expect(failed).toMatchObject({ isFailed: true, fee: { amountRaw: 16_500_120n }, transfers: [] });
    expect(native).toMatchObject({ isFailed: false, fee: { amountRaw: 0n } });
  });

  it('moves TRX inside contracts: 1 sun on a private network of java-tron', () => {
    const info = readJson<TransactionInfo[]>('java-tron-4.8.2-privnet.transactioninfos.json')[1]!;
    const call = readJson<WalletBlock>('mainnet-78115149.getblockbynum-partial.json').transactions![0]!;
    const [tx] = decode([call], [info]);
    const internal = {
      type: 'internal',
      assetGid: NATIVE,
      from: tron('41a4de5410785ffffc7c210f126f7534d868c2ecc9'),
      to: tron('41dcf2957055e8fcde477a077ecfeddf5ab2357547'),
      amountRaw: 1n,
    };
    expect(tx?.transfers).toMatchObject([internal]);
    const rejected = {
      ...info,
      internal_transactions: info.internal_transactions!.map((one) => ({ ...one, rejected: true })),
    };
    expect(decode([call], [rejected])[0]?.transfers).toEqual([]);
  });

  it('is a swap with 21 logs and 42 internal transactions, most of them without value', () => {
    const info = readJson<TransactionInfo>('trongrid/gettransactioninfobyid-swap-transaction.json');
    const call = readJson<WalletBlock>('mainnet-78115149.getblockbynum-partial.json').transactions![0]!;
    const [tx] = decode([call], [info]);
    const transfers = tx?.transfers ?? [];
    // The parties were made unrecognizable when it was recorded; token and amount were not.
    const told = readJson<{ data: { value: string; token_info: { address: string } }[] }>(
      'trongrid/account-trc20-transactions-swap-contract-info.json',
    ).data[0]!;
    expect(transfers.findLast(({ type }) => type === 'token')).toMatchObject({
      assetGid: `${network.gid}/trc20:${told.token_info.address}`,
      amountRaw: BigInt(told.value),
    });
    expect(transfers.filter(({ type }) => type === 'token')).toHaveLength(8);
    const moving = info.internal_transactions!.filter(
      ({ callValueInfo, rejected, caller_address: from, transferTo_address: to }) =>
        rejected !== true && from !== to && callValueInfo?.some(({ callValue }) => callValue !== undefined),
    );
    expect(transfers.filter(({ type }) => type === 'internal')).toHaveLength(moving.length);
    expect(transfers.map(({ index }) => index)).toEqual(transfers.map((_, index) => index));
  });
});

interface RecordedTransfer {
  readonly id: string;
  readonly from: string;
  readonly to: string;
  readonly metadata: { readonly value: string };
}

describeFixtures('recorded pages', () => {
  it('decode to the TRX transfers that another parser found: 25 transactions of one account', () => {
    const { data } = readJson<{ data: WalletTransaction[] }>(
      'trongrid/blockatlas-accounts_txs_response.json',
    );
    for (const { raw_data_hex: hex, txID } of data)
      expect(sha256(Buffer.from(hex, 'hex')).toString('hex')).toBe(txID);
    const found = decode(data, []).flatMap(({ hash, transfers }) =>
      transfers.flatMap(({ type, from, to, amountRaw }) =>
        type === 'native' ? [{ id: hash, from, to, value: amountRaw.toString() }] : [],
      ),
    );
    const expected = readJson<RecordedTransfer[]>('trongrid/blockatlas-txs_response.json').map(
      ({ id, from, to, metadata: { value } }) => ({ id, from, to, value }),
    );
    expect(expected.length).toBeGreaterThan(0);
    for (const transfer of expected) expect(found).toContainEqual(transfer);
    expect(found).toHaveLength(
      data.filter((tx) => (tx as unknown as RawTransaction).raw_data.contract[0]!.type === 'TransferContract')
        .length,
    );
  });

  it('tell the owner of every kind of transaction in the documentation of java-tron', () => {
    const found: string[] = [];
    const visit = (value: unknown): void => {
      if (typeof value !== 'object' || value === null) return;
      const tx = value as Partial<WalletTransaction & RawTransaction>;
      // Some are abbreviated.
      if (typeof tx.raw_data_hex === 'string' && /^(?:[0-9a-f]{2})+$/.test(tx.raw_data_hex)) {
        const rawData = Buffer.from(tx.raw_data_hex, 'hex');
        const { type, parameter } = tx.raw_data!.contract[0]!;
        expect(sha256(rawData).toString('hex')).toBe(tx.txID);
        expect([type, readContract(rawData).owner.toString('hex')]).toEqual([
          type,
          parameter.value.owner_address,
        ]);
        found.push(type);
      }
      Object.values(value).forEach(visit);
    };
    visit(readJson('nile-docs-captures.json'));
    expect(new Set(found).size).toBeGreaterThanOrEqual(16);
  });
});

/** What the bytes are compared with. */
interface RawTransaction {
  readonly raw_data: {
    readonly contract: readonly {
      readonly type: string;
      readonly parameter: { readonly value: { readonly owner_address: string } };
    }[];
  };
}

/** TronGrid wraps transactions in pages, or gives one alone. */
function findTransaction(
  json: { data?: WalletTransaction[] } & Partial<WalletTransaction>,
): WalletTransaction {
  return json.data?.[0] ?? (json as WalletTransaction);
}
