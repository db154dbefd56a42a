// SPDX-License-Identifier: Apache-2.0
import fc from 'fast-check';
import { changeDigit, startAnvil, type AnvilHandle } from '@chainwatch/testing';
import { InvalidProofError, verifyTransaction, type Proof } from '@chainwatch/verify';
import type { BlockRef } from '@chainwatch/chain-core';
import { EvmClient } from './evm-client.ts';
import { networkNamed } from './spec-read.ts';

const COUNT = 60;
const RUNS = Number(process.env.PROOF_RUNS ?? 500);
const payee = (index: number): string => `0x${(index + 0xa0000).toString(16).padStart(40, '0')}`;

let node: AnvilHandle;
let client: EvmClient;
let ref: BlockRef;
let hashes: string[];
let proofs: Proof[];

beforeAll(async () => {
  node = await startAnvil({ args: ['--no-mining'] });
  const [from] = await node.rpc<[string]>('eth_accounts');
  hashes = [];
  for (let index = 0; index < COUNT; index += 1) {
    const price = index % 2 === 0 ? { gasPrice: '0x77359400' } : {};
    hashes.push(
      await node.rpc<string>('eth_sendTransaction', [
        { from, to: payee(index), value: `0x${(index + 1).toString(16)}`, ...price },
      ]),
    );
  }
  await node.mine();
  const block = await node.rpc<{ hash: string; number: string }>('eth_getBlockByNumber', ['latest', false]);
  ref = { number: Number(block.number), hash: block.hash };
  client = new EvmClient({ network: networkNamed('anvil'), endpointUrl: node.url });
  proofs = await prove([...hashes, `0x${'77'.repeat(32)}`]);
});
afterAll(async () => {
  client.close();
  await node.stop();
});

/** Without those that the block does not have. */
async function prove(wanted: readonly string[]): Promise<Proof[]> {
  return [...(await client.readProofs(ref, wanted))].map(([hash, proof]) => ({
    chain_gid: 'eip155:31337',
    hash,
    block_hash: ref.hash,
    block_number: ref.number,
    ...(proof as Pick<Proof, 'type' | 'header' | 'branch' | 'item'>),
  }));
}

it('shows every transaction of a block with its payment', async () => {
  expect(proofs.map(({ hash }) => hash)).toEqual(hashes);
  for (const [index, proof] of proofs.entries())
    expect(await verifyTransaction(proof, { trustedBlockHash: ref.hash })).toMatchObject({
      hash: hashes[index],
      index,
      isFailed: false,
      transfers: [{ type: 'native', to: payee(index), amountRaw: BigInt(index + 1) }],
    });
});

it('is not believed for another block than the one that is trusted', async () => {
  const getBlockHash = () => `0x${'11'.repeat(32)}`;
  await expect(verifyTransaction(proofs[0]!, { getBlockHash })).rejects.toThrow('which you trust');
});

it('refuses what was changed: any byte, place, branch or receipt', async () => {
  const trust = { trustedBlockHash: ref.hash };
  const any = fc.integer({ min: 0, max: 2 ** 30 });
  await fc.assert(
    fc.asyncProperty(any, any, fc.constantFrom(...Object.keys(TAMPERINGS)), async (which, at, kind) => {
      const proof = proofs[which % proofs.length]!;
      const other = proofs[(which + 1) % proofs.length]!;
      const tampered = TAMPERINGS[kind as keyof typeof TAMPERINGS](proof, { at, other });
      await expect(verifyTransaction(tampered, trust)).rejects.toThrow(InvalidProofError);
    }),
    { numRuns: RUNS * Object.keys(TAMPERINGS).length },
  );
});

interface Tampering {
  readonly at: number;
  readonly other: Proof;
}

const changeNode = (nodes: readonly (string | null)[], at: number): (string | null)[] =>
  nodes.map((node, level) => (level === at % nodes.length ? changeDigit(node!, at) : node));

const TAMPERINGS = {
  header: (proof: Proof, { at }: Tampering): Proof => ({ ...proof, header: changeDigit(proof.header!, at) }),
  transaction: (proof: Proof, { at }: Tampering): Proof => ({
    ...proof,
    item: { ...proof.item!, transaction: changeDigit(proof.item!.transaction, at) },
  }),
  receipt: (proof: Proof, { at }: Tampering): Proof => ({
    ...proof,
    item: { ...proof.item!, receipt: changeDigit(proof.item!.receipt!, at) },
  }),
  index: (proof: Proof, { at }: Tampering): Proof => ({
    ...proof,
    item: { ...proof.item!, index: (proof.item!.index + 1 + (at % (COUNT - 1))) % COUNT },
  }),
  'second receipt': (proof: Proof, { other }: Tampering): Proof => ({
    ...proof,
    branch: { ...proof.branch!, receipt: other.branch!.receipt! },
    item: { ...proof.item!, receipt: other.item!.receipt! },
  }),
  'second transaction': (proof: Proof, { other }: Tampering): Proof => ({
    ...proof,
    branch: { ...proof.branch!, transaction: other.branch!.transaction },
    item: { ...proof.item!, transaction: other.item!.transaction },
  }),
  'branch of the transaction': (proof: Proof, { at }: Tampering): Proof => ({
    ...proof,
    branch: { ...proof.branch!, transaction: changeNode(proof.branch!.transaction, at) },
  }),
  'branch of the receipt': (proof: Proof, { at }: Tampering): Proof => ({
    ...proof,
    branch: { ...proof.branch!, receipt: changeNode(proof.branch!.receipt!, at) },
  }),
  hash: (proof: Proof, { other }: Tampering): Proof => ({ ...proof, hash: other.hash }),
  number: (proof: Proof): Proof => ({ ...proof, block_number: proof.block_number + 1 }),
};
