// SPDX-License-Identifier: Apache-2.0
import type { SettledChain } from '@chainwatch/tool-devnet/settled-chain';
import { NodeError } from '@chainwatch/tool-devnet/settled-chain';
import { ALICE, makeLongChain, refOf, startRig } from './spec-settled.ts';
import type { Rig } from './spec-settled.ts';

let chain: SettledChain;
let rig: Rig;

beforeAll(async () => {
  chain = await makeLongChain();
  rig = await startRig(chain);
});
afterAll(() => rig.stop());

/** Blocks with a log that names Alice. */
const logged = () =>
  chain.blocks.filter(({ made }) =>
    made.some(
      ({ receipt, json }) =>
        receipt.logs.some(({ topics }) => topics.some((each) => each.endsWith(ALICE.slice(2)))) ||
        json['to'] === ALICE,
    ),
  );

it('leaves out no block with a log of an address, whatever the node lists, though later headers prove it', async () => {
  rig.node.alter = ({ method }, result) => {
    if (/^(trace|debug)_/.test(method)) throw new NodeError(-32601, 'no such method');
    return method === 'eth_getLogs' ? [] : result;
  };
  const client = rig.connect();
  // Only a block with a transaction tells whether the node traces.
  await client.readBlock(refOf(chain.blocks.find(({ made }) => made.length > 0)!));
  const found: number[] = [];
  for (let fromBlock = chain.blocks[0]!.number; fromBlock <= chain.last.number; ) {
    const page = await client.findBlocksOf!({ addresses: [ALICE], fromBlock, toBlock: chain.last.number });
    found.push(...page!.refs.map(({ number }) => number));
    fromBlock = page!.toBlock + 1;
  }
  expect(logged().length).toBeGreaterThan(60);
  expect(found).toEqual(expect.arrayContaining(logged().map(({ number }) => number)));
  // Blocks of nothing, and nobody's, are not read.
  expect(found.length).toBeLessThan(chain.blocks.length);
});
