// SPDX-License-Identifier: Apache-2.0
import type {
  Alter,
  ChainBlock,
  HeaderFields,
  Hex,
  SettledChain,
} from '@chainwatch/tool-devnet/settled-chain';
import { hashHeader } from '@chainwatch/tool-devnet/settled-chain';
import type { UnknownContentError } from '@chainwatch/chain-core';
import { IncompleteBlockError } from '@chainwatch/chain-core';
import { makeShortChain, refusalOf, SETTLER, SUBJECT, tellHeaders } from './spec-lies.ts';
import { refOf, standingOf, startRig } from './spec-settled.ts';
import type { Rig } from './spec-settled.ts';

let chain: SettledChain;
let rig: Rig;

beforeAll(async () => {
  chain = await makeShortChain();
  rig = await startRig(chain);
});
beforeEach(() => rig.reset());
afterAll(() => rig.stop());

const filled = { receiptsRoot: `0x${'12'.repeat(32)}` as Hex };

describe('headers', () => {
  it.each<[string, number, (header: HeaderFields) => Partial<HeaderFields>, RegExp]>([
    ['that settles nothing under a root', 5, () => filled, /empty receiptsRoot/],
    [
      'that settles nothing under a bloom',
      5,
      () => ({ logsBloom: `0x${'01'.repeat(256)}` }),
      /empty receiptsRoot/,
    ],
    ['that settles less than its parent', 5, () => ({ settledHeight: '0x1' }), /settledHeight of block 5/],
    ['that settles itself', 5, () => ({ settledHeight: '0x5' }), /settledHeight of block 5/],
    [
      'that settles what is not there yet',
      5,
      () => ({ settledHeight: '0xffff' }),
      /settledHeight of block 5/,
    ],
    ['that is synchronous again', 5, synchronous, /expected what it settles/],
    ['that is not linked', 5, () => ({ parentHash: `0x${'ab'.repeat(32)}` }), /expected block 5 on/],
    ['of another height', 5, () => ({ number: '0x6' }), /expected block 5 on/],
    [
      'that settles the block under another root',
      5,
      () => ({ settledHeight: '0x4', ...filled }),
      /receiptsRoot of block 5/,
    ],
    [
      'that settles the block under another bloom',
      SETTLER,
      () => ({ logsBloom: `0x${'01'.repeat(256)}` }),
      /logsBloom of block 8/,
    ],
    ['that settles too few', SETTLER, () => ({ settledHeight: '0x5' }), /receiptsRoot of block 8/],
    ['that settles too many', SETTLER, () => ({ settledHeight: '0x7' }), /receiptsRoot of block 8/],
  ])('one %s is refused, and forgotten', async (_, number, change, text) => {
    const client = rig.connect();
    const ref = refOf(chain.find(SUBJECT)!);
    rig.node.alter = number === SETTLER ? linked(number, change) : tellHeaders(chain, { [number]: change });
    const error = (await refusalOf(client.readBlock(ref))) as Error;
    expect(error).toBeInstanceOf(IncompleteBlockError);
    expect(error.message).toMatch(text);
    rig.node.alter = undefined;
    expect(standingOf(await client.readBlock(ref))).toBe('proved');
  });

  it('whose hash is not that of its fields is refused', async () => {
    rig.node.alter = ({ method, params }, result) =>
      method === 'eth_getBlockByNumber' && params[0] === '0x8'
        ? { ...(result as object), settledHeight: '0x5' }
        : result;
    expect(await refusalOf(rig.readFresh(chain.find(SUBJECT)!))).toBeInstanceOf(IncompleteBlockError);
  });

  it('with a member that is not known settles nothing, and is named', async () => {
    rig.node.alter = ({ method, params }, result) =>
      method === 'eth_getBlockByNumber' && params[0] === '0x8'
        ? { ...(result as object), hash: `0x${'77'.repeat(32)}`, quorumHash: '0x1234' }
        : result;
    const block = chain.find(SUBJECT)!;
    const error = await refusalOf(rig.readFresh(block));
    expect((error as UnknownContentError).unknowns.map(({ kind }) => kind)).toEqual([
      'header-field:quorumHash',
    ]);
    const read = await rig.readFresh(block, { takeUnknown: true });
    expect([read.verification, ...read.transactions.map(({ verification }) => verification)]).toEqual(
      Array(4).fill('unproved'),
    );
  });

  it('made up whole are told by name: the caller finds the header on its own chain, or not', async () => {
    const client = rig.connect();
    const ref = refOf(chain.find(SUBJECT)!);
    const settling = chain.find(SETTLER)!;
    const forged: Partial<HeaderFields> = { ...settling.header, extraData: '0xbad0' };
    rig.node.alter = tellHeaders(chain, { [SETTLER]: () => forged });
    const read = await client.readBlock(ref);
    expect(read.provedBy).toEqual({ number: SETTLER, hash: hashHeader(forged) });
    // The caller reads its own block there, so the made-up one no longer counts.
    await client.readBlock(refOf(settling));
    expect((await client.readBlock(ref)).provedBy).toEqual(refOf(settling));
  });
});

/** Reads a chain whose blocks the node does not have at its heights, as after a reorganization. */
it('a block that is not on the node chain is refused', async () => {
  const block: ChainBlock = chain.find(SUBJECT)!;
  rig.node.alter = tellHeaders(chain, { 5: () => ({ parentHash: `0x${'cd'.repeat(32)}` }) });
  expect(await refusalOf(rig.readFresh(block))).toBeInstanceOf(IncompleteBlockError);
});

function synchronous(): Partial<HeaderFields> {
  return { settledHeight: '0x0', settledGasUnix: '0x0', settledGasNumerator: '0x0', settledExcess: '0x0' };
}

/** One header changed; those after it are left out, since they are not linked to it. */
function linked(number: number, change: (header: HeaderFields) => Partial<HeaderFields>): Alter {
  const alter = tellHeaders(chain, { [number]: change });
  return (call, result) =>
    call.method === 'eth_getBlockByNumber' && Number(call.params[0]) > number ? null : alter(call, result);
}
