// SPDX-License-Identifier: Apache-2.0
import { describeFixtures } from './spec-fixtures.ts';
import { readSpecBlock, SpecNode, withInfo } from './spec-node.ts';

/** Members in hexadecimal digits, which a gateway may echo in capitals. */
const HEX =
  /"(blockID|txTrieRoot|parentHash|witness_address|txID|raw_data_hex|id|address|data|note|caller_address|transferTo_address)":"([0-9a-f]+)"/g;
const LISTS = /"(signature|topics)":\[("[0-9a-f]+"(?:,"[0-9a-f]+")*)\]/g;
const shout = (json: unknown): string =>
  JSON.stringify(json)
    .replace(HEX, (_, name: string, digits: string) => `"${name}":"${digits.toUpperCase()}"`)
    .replace(LISTS, (_, name: string, digits: string) => `"${name}":[${digits.toUpperCase()}]`);

describeFixtures('a node that echoes capitals', () => {
  it('tells the same block: what is proved is bytes', async () => {
    const told = withInfo(readSpecBlock(), 2, {
      internal_transactions: [
        {
          caller_address: `41${'1a'.repeat(20)}`,
          transferTo_address: `41${'0b'.repeat(20)}`,
          callValueInfo: [{ callValue: 5 }],
          note: '63616c6c',
        },
      ],
    });
    const node = await SpecNode.start();
    const expected = await node.tell(told).read(told);
    expect(shout(told.block)).not.toBe(JSON.stringify(told.block));
    expect(await node.tell(told, shout).read(told)).toEqual(expected);
    expect(await node.client.readHead()).toMatchObject({ hash: told.block.blockID });
    expect(expected.transactions[2]!.transfers).toContainEqual(expect.objectContaining({ type: 'internal' }));
    node.close();
  });
});
