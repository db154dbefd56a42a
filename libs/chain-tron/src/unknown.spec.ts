// SPDX-License-Identifier: Apache-2.0
import { createHash } from 'node:crypto';
import type { Block } from '@chainwatch/chain-core';
import { describeFixtures } from './spec-fixtures.ts';
import {
  field,
  readSpecBlock,
  seal,
  SpecNode,
  withHeader,
  withInfo,
  withTransaction,
  type SpecBlock,
} from './spec-node.ts';

const take = { takeUnknown: true };
let node: SpecNode;

beforeAll(async () => {
  node = await SpecNode.start();
});
afterAll(() => node.close());

const strict = (told: SpecBlock): Promise<Block> => node.tell(told).read(told);
const taken = (told: SpecBlock): Promise<Block> => node.tell(told).read(told, take);
const shape = ({ transactions, unknowns }: Block) => ({
  unknowns,
  transactions: transactions.map(({ hash, verification, transfers }) => ({
    hash,
    isUnproved: verification === 'unproved' ? true : undefined,
    amounts: transfers.map(({ amountRaw }) => amountRaw),
  })),
});
const refused = (code: string, ...kinds: string[]) => ({
  code,
  ...(kinds.length > 0 && { unknowns: kinds.map((kind): unknown => expect.objectContaining({ kind })) }),
});

describeFixtures('unknown: a real block', () => {
  const honest = readSpecBlock();
  const ids = honest.block.transactions!.map(({ txID }) => txID);
  const amounts = [[], [1_000_000n], [1_000_000n]];
  /** Every transaction as it is, `isUnproved` as given. */
  const whole = (unproved: readonly (true | undefined)[]) =>
    ids.map((hash, index) => ({ hash, isUnproved: unproved[index], amounts: amounts[index] }));
  const proved = { unknowns: undefined, transactions: whole([]) };

  it('is taken as it is, proved', async () => {
    expect(shape(await strict(honest))).toEqual(proved);
  });

  describe('with fields that java-tron itself does not name', () => {
    // 1002 as mainnet has it: 12 bytes.
    const opaque = 'c83e00112233445566778899';

    it('in a result is proved by its root, and nothing of it is unknown', async () => {
      const told = seal(withTransaction(honest, 1, { ret: [{ contractRet: 'SUCCESS', 1002: [opaque] }] }), {
        results: { 1: `2a111801d23e0c${opaque}` },
      });
      expect(shape(await strict(told))).toEqual(proved);
      const altered = withTransaction(told, 1, {
        ret: [{ contractRet: 'SUCCESS', 1002: ['c83e00112233445566778898'] }],
      });
      await expect(taken(altered)).rejects.toMatchObject(refused('incomplete_block'));
      await expect(
        taken(withTransaction(told, 1, { ret: [{ contractRet: 'SUCCESS' }] })),
      ).rejects.toMatchObject(refused('incomplete_block'));
    });

    it.each<[string, object, string]>([
      ['an integer', { 200: [300] }, 'c00cac02'],
      ['an integer beyond 2^53', { 200: ['LONG18446744073709551615'] }, 'c00cffffffffffffffffff01'],
      ['16 digits that are bytes', { 200: ['1234567890123456'] }, 'c20c081234567890123456'],
      ['4 bytes', { 200: ['BARE0x0000001f'] }, 'c50c1f000000'],
      ['8 bytes', { 200: ['BARE0x00000000000000ff'] }, 'c10cff00000000000000'],
      ['a group', { 200: [{ 1: [5], 2: ['ab', 'cd'] }] }, 'c30c08051201ab1201cdc40c'],
      [
        'several, in the order of their numbers',
        { 300: ['ff'], 200: [0, 1], 40: [] },
        'c00c00c00c01e21201ff',
      ],
    ])('of the kind %s in transaction, result and header are proved', async (_, members, hex) => {
      // JSON.stringify cannot write these numbers as java-tron does.
      const toText = (json: unknown): string => JSON.stringify(json).replace(/"(?:LONG|BARE)(\w+)"/g, '$1');
      const result = field(5, Buffer.from(`1801${hex}`, 'hex')).toString('hex');
      const changed = withHeader(
        withTransaction(honest, 0, { ...members, ret: [{ contractRet: 'SUCCESS', ...members }] }),
        members,
      );
      const told = seal(changed, { results: { 0: `${result}${hex}` }, others: hex });
      expect(shape(await node.tell(told, toText).read(told))).toEqual(proved);
      for (const wrong of [
        seal(changed, { results: { 0: result }, others: hex }),
        seal(changed, { results: { 0: `${result}${hex}` } }),
      ]) {
        await expect(node.tell(wrong, toText).read(wrong, take)).rejects.toMatchObject(
          refused('incomplete_block'),
        );
      }
    });

    it('in the signed part are skipped, whatever they are', async () => {
      // Fields 200 and 201 behind the known ones: 8 bytes, and a group with a group.
      const rawData = `${honest.block.transactions![1]!.raw_data_hex}c10cff00000000000000cb0c1305140801cc0c`;
      const txID = createHash('sha256').update(Buffer.from(rawData, 'hex')).digest('hex');
      const told = seal(
        withInfo(withTransaction(honest, 1, { raw_data_hex: rawData, txID }), 1, { id: txID }),
      );
      // Nor does anything stop where they cannot be read: the root proves them. What logs tell is told.
      await expect(strict(told)).rejects.toMatchObject(
        refused('unknown_content', 'transaction-form:unreadable'),
      );
      expect(shape(await taken(told)).transactions).toMatchObject([
        { isUnproved: undefined },
        { hash: txID, isUnproved: true, amounts: [1_000_000n] },
        { isUnproved: undefined, amounts: [1_000_000n] },
      ]);
      const right = rawData.replace('1305140801', '130805140801');
      const id = createHash('sha256').update(Buffer.from(right, 'hex')).digest('hex');
      const block = await strict(
        seal(withInfo(withTransaction(honest, 1, { raw_data_hex: right, txID: id }), 1, { id })),
      );
      expect(block.transactions[1]).toMatchObject({ hash: id, transfers: [{ amountRaw: 1_000_000n }] });
    });
  });

  describe('(a) with a kind of contract that is not known', () => {
    const rawData = honest.block.transactions![0]!.raw_data_hex.replace('083b12530a', '083c12530a');
    const txID = createHash('sha256').update(Buffer.from(rawData, 'hex')).digest('hex');
    const told = seal(withInfo(withTransaction(honest, 0, { raw_data_hex: rawData, txID }), 0, { id: txID }));

    it('is refused by its kind, and taken with the others proved', async () => {
      await expect(strict(told)).rejects.toMatchObject({
        ...refused('unknown_content', 'contract-type:60'),
        retryable: true,
      });
      const block = await taken(told);
      expect(block.unknowns).toMatchObject([{ kind: 'contract-type:60', transactionHash: txID }]);
      expect(shape(block).transactions).toEqual([
        { hash: txID, isUnproved: true, amounts: [] },
        ...whole([]).slice(1),
      ]);
    });

    it('is no pretext: a record that is missing and a wrong root are refused', async () => {
      await expect(taken({ ...told, infos: told.infos.slice(0, 2) })).rejects.toMatchObject(
        refused('incomplete_block'),
      );
      await expect(
        taken({
          ...told,
          block: { ...told.block, transactions: told.block.transactions!.slice(0, 2) },
          infos: told.infos.slice(0, 2),
        }),
      ).rejects.toMatchObject(refused('incomplete_block'));
      await expect(
        taken(withTransaction(told, 1, { ret: [{ contractRet: 'REVERT' }] })),
      ).rejects.toMatchObject(refused('incomplete_block'));
    });
  });

  describe('(b) with a member that is not known', () => {
    it('that its root does not cover is read as if it were not there', async () => {
      expect(shape(await strict(withTransaction(honest, 1, { note: 'of a gateway' })))).toEqual(proved);
    });

    it.each([
      ['transaction-field:energy_rebate', { contractRet: 'SUCCESS', energy_rebate: 7 }, '2a0418015807'],
      ['transaction-result:OUT_OF_PATIENCE', { contractRet: 'OUT_OF_PATIENCE' }, '2a021810'],
      ['transaction-result:DELAYED', { ret: 'DELAYED', contractRet: 'SUCCESS' }, '2a0410021801'],
    ])('%s: is refused by its kind, and taken as the word of the node', async (kind, ret, bytes) => {
      const told = seal(withTransaction(honest, 1, { ret: [ret] }), { results: { 1: bytes } });
      await expect(strict(told)).rejects.toMatchObject(refused('unknown_content', kind));
      const block = await taken(told);
      expect(block.unknowns).toMatchObject([{ kind, transactionHash: ids[1] }]);
      expect(shape(block).transactions).toEqual(whole([true, true, true]));
    });

    it('a result that java-tron tells by its number is proved, what it means is not', async () => {
      const told = seal(
        withTransaction(honest, 1, { ret: [{ contractRet: 'UNKNOWN_ENUM_VALUE_contractResult_16' }] }),
        { results: { 1: '2a021810' } },
      );
      await expect(strict(told)).rejects.toMatchObject(refused('unknown_content', 'transaction-result:16'));
      expect(shape(await taken(told)).transactions).toEqual(whole([undefined, true, undefined]));
      expect((await taken(withInfo(told, 1, { result: 'FAILED' }))).transactions[1]).toMatchObject({
        isFailed: true,
        transfers: [],
      });
    });

    it('in the signed part, several contracts are told', async () => {
      const rawData = honest.block.transactions![0]!.raw_data_hex;
      const contract = /5a57083b12530a.*(?=70a1899c)/.exec(rawData)![0];
      const twice = rawData.replace(contract, contract + contract);
      const txID = createHash('sha256').update(Buffer.from(twice, 'hex')).digest('hex');
      await expect(
        strict(seal(withInfo(withTransaction(honest, 0, { raw_data_hex: twice, txID }), 0, { id: txID }))),
      ).rejects.toMatchObject(refused('unknown_content', 'transaction-contracts:2'));
    });

    it('an internal transaction of another kind is told where it moves something, and no delegation is', async () => {
      const internal = {
        caller_address: `41${'11'.repeat(20)}`,
        transferTo_address: `41${'22'.repeat(20)}`,
        callValueInfo: [{ callValue: 5 }],
      };
      const note = (text: string): string => Buffer.from(text).toString('hex');
      const told = withInfo(honest, 2, {
        internal_transactions: [
          { ...internal, note: note('conjure') },
          { ...internal, note: note('delegateResourceOfEnergy') },
          { ...internal, note: note('unfreezeBalanceV2ForEnergy') },
          { ...internal, note: note('call') },
        ],
      });
      await expect(strict(told)).rejects.toMatchObject(
        refused('unknown_content', 'internal-transaction:conjure'),
      );
      expect(shape(await taken(told)).transactions[2]).toEqual({
        hash: ids[2],
        isUnproved: true,
        amounts: [1_000_000n, 5n],
      });
    });

    it('is no pretext: a lying node is never proved', async () => {
      const lie = withInfo(withTransaction(honest, 1, { ret: [{ contractRet: 'SUCCESS', pretext: 1 }] }), 2, {
        log: [],
      });
      // The root still matches: the member belongs to no transaction, and the records are checked as usual.
      expect((await strict(lie)).unknowns).toBeUndefined();
      const dropped = {
        block: { ...lie.block, transactions: lie.block.transactions!.slice(0, 2) },
        infos: lie.infos.slice(0, 2),
      };
      await expect(strict(dropped)).rejects.toMatchObject(
        refused('unknown_content', 'transaction-field:pretext'),
      );
      expect(shape(await taken(dropped)).transactions).toEqual(whole([true, true, true]).slice(0, 2));
      await expect(taken({ ...dropped, infos: dropped.infos.slice(0, 1) })).rejects.toMatchObject(
        refused('incomplete_block'),
      );
      const another = withTransaction(dropped, 0, {
        raw_data_hex: dropped.block.transactions![1]!.raw_data_hex,
      });
      await expect(taken(another)).rejects.toMatchObject(refused('incomplete_block'));
    });
  });

  describe('(c) with a member of its header that is not known', () => {
    // The node's own id covers more than is known here.
    const told = withHeader(seal(honest, { others: '600a' }), { energy_root: 10 });

    it('is refused by its kind, and taken as the word of the node, all else checked', async () => {
      await expect(strict(told)).rejects.toMatchObject(
        refused('unknown_content', 'header-field:energy_root'),
      );
      const block = await taken(told);
      expect(block).toMatchObject({
        hash: told.block.blockID,
        parentHash: honest.block.block_header.raw_data.parentHash,
        unknowns: [{ kind: 'header-field:energy_root' }],
      });
      expect(shape(block).transactions).toEqual(whole([true, true, true]));
      await expect(taken({ ...told, infos: told.infos.slice(1) })).rejects.toMatchObject(
        refused('incomplete_block'),
      );
      await expect(
        taken({
          block: { ...told.block, transactions: told.block.transactions!.slice(1) },
          infos: told.infos.slice(1),
        }),
      ).rejects.toMatchObject(refused('incomplete_block'));
      await expect(taken(withHeader(told, { parentHash: 'ab' }))).rejects.toMatchObject(
        refused('incomplete_block'),
      );
    });

    it('still is a head to follow', async () => {
      expect(await node.tell(told).client.readHead()).toMatchObject({
        number: 165,
        hash: told.block.blockID,
      });
    });

    it('is proved where the id comes out without it', async () => {
      expect(shape(await strict(withHeader(honest, { energy_root: 10 })))).toEqual(proved);
    });

    it('is refused where nothing unknown explains another id', async () => {
      const wrong = seal(honest, { others: '600a' });
      await expect(taken(wrong)).rejects.toMatchObject(refused('incomplete_block'));
    });
  });
});
