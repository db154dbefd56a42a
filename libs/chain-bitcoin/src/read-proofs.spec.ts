// SPDX-License-Identifier: Apache-2.0
import fc from 'fast-check';
import { changeDigit } from '@chainwatch/testing';
import { InvalidProofError, verifyTransaction, type Proof } from '@chainwatch/verify';
import { BitcoinClient } from './bitcoin-client.ts';
import { buildLitecoinBlock, dogecoin, dogecoinBlock, litecoin } from './spec-coin-blocks.ts';
import { startFakeNode } from './spec-fake-node.ts';
import { blockNames, networkNamed, readBlockFixture } from './spec-fixtures.ts';
import { toHashText } from './hash.ts';
import { readTraits } from './networks.ts';
import { verifyBlock } from './verify-block.ts';

const RUNS = Number(process.env.PROOF_RUNS ?? 500);
const PROOFS_MAX = 6;

const recorded = [
  { name: 'litecoin', network: networkNamed('litecoin'), ref: refOf(litecoin), bytes: buildLitecoinBlock() },
  { name: 'dogecoin', network: networkNamed('dogecoin'), ref: refOf(dogecoin), bytes: dogecoinBlock },
  ...blockNames.map(readBlockFixture),
];

function refOf({ height, hash }: { readonly height: number; readonly hash: string }) {
  return { number: height, hash };
}

describe.each(recorded)('a recorded block: $name', ({ network, ref, bytes }) => {
  let proofs: Proof[];
  beforeAll(async () => {
    const node = await startFakeNode({ methods: { getblock: () => bytes.toString('hex') } });
    const client = new BitcoinClient({ network, endpointUrl: node.url });
    const txids = verifyBlock(ref, bytes, readTraits(network)).transactions.map(({ txidBytes }) =>
      toHashText(txidBytes),
    );
    const step = Math.ceil(txids.length / PROOFS_MAX);
    const wanted = txids.filter((_, index) => index % step === 0 || index === txids.length - 1);
    const shown = await client.readProofs(ref, [...wanted, '77'.repeat(32)]);
    expect([...shown.keys()]).toEqual(wanted);
    expect(node.calls).toHaveLength(1);
    proofs = [...shown].map(([hash, proof]) => ({
      chain_gid: network.gid,
      hash,
      block_hash: ref.hash,
      block_number: ref.number,
      ...(proof as Pick<Proof, 'type' | 'header' | 'branch' | 'item'>),
    }));
    client.close();
    await node.stop();
  });

  it('shows its transactions with the outputs that the block has', async () => {
    const { transactions } = verifyBlock(ref, bytes, readTraits(network));
    for (const proof of proofs) {
      const shown = await verifyTransaction(proof, { trustedBlockHash: ref.hash });
      const { outputs } = transactions[shown.index]!;
      expect(shown.transfers).toEqual(
        outputs.map(({ matchKey, amountRaw }) => ({ type: 'native', script: matchKey, amountRaw })),
      );
    }
  });

  it('refuses what was changed: any byte, place or branch', async () => {
    const any = fc.integer({ min: 0, max: 2 ** 30 });
    const kinds = Object.keys(TAMPERINGS) as (keyof typeof TAMPERINGS)[];
    await fc.assert(
      fc.asyncProperty(any, any, fc.constantFrom(...kinds), async (which, at, kind) => {
        const tampered = TAMPERINGS[kind](proofs[which % proofs.length]!, at);
        if (tampered === undefined) return;
        await expect(verifyTransaction(tampered, { trustedBlockHash: ref.hash })).rejects.toThrow(
          InvalidProofError,
        );
      }),
      { numRuns: Math.ceil((RUNS * kinds.length) / recorded.length) },
    );
  });
});

it('refuses an inner node of the tree that is passed off as a transaction', async () => {
  const { network, ref, bytes } = recorded[1]!;
  const node = await startFakeNode({ methods: { getblock: () => bytes.toString('hex') } });
  const client = new BitcoinClient({ network, endpointUrl: node.url });
  const { transactions } = verifyBlock(ref, bytes, readTraits(network));
  const hash = toHashText(transactions[1]!.txidBytes);
  const proof = (await client.readProofs(ref, [hash])).get(hash) as unknown as Proof;
  client.close();
  await node.stop();
  // 64 bytes: two txids of the level below.
  const inner = Buffer.concat([transactions[0]!.txidBytes, transactions[1]!.txidBytes]);
  const { hash256 } = await import('./hash.ts');
  await expect(
    verifyTransaction(
      {
        ...proof,
        chain_gid: network.gid,
        block_hash: ref.hash,
        block_number: ref.number,
        hash: toHashText(hash256(inner)),
        branch: { ...proof.branch!, transaction: proof.branch!.transaction.slice(1) },
        item: { ...proof.item!, index: 0, transaction: inner.toString('hex') },
      },
      { trustedBlockHash: ref.hash },
    ),
  ).rejects.toThrow('not on the same level');
});

const TAMPERINGS = {
  header: (proof: Proof, at: number): Proof => ({ ...proof, header: changeDigit(proof.header!, at) }),
  transaction: (proof: Proof, at: number): Proof => ({
    ...proof,
    item: { ...proof.item!, transaction: changeDigit(proof.item!.transaction, at) },
  }),
  coinbase: (proof: Proof, at: number): Proof => ({
    ...proof,
    item: { ...proof.item!, coinbase: changeDigit(proof.item!.coinbase!, at) },
  }),
  index: (proof: Proof, at: number): Proof => ({
    ...proof,
    item: { ...proof.item!, index: proof.item!.index + 1 + (at % 1_000) },
  }),
  branch: (proof: Proof, at: number): Proof | undefined => {
    const { transaction } = proof.branch!;
    if (transaction.length === 0) return undefined;
    return {
      ...proof,
      branch: {
        ...proof.branch!,
        transaction: transaction.map((each, level) =>
          level === at % transaction.length ? changeDigit(each!, at) : each,
        ),
      },
    };
  },
  'shorter branch': (proof: Proof): Proof | undefined =>
    proof.branch!.transaction.length === 0
      ? undefined
      : { ...proof, branch: { ...proof.branch!, transaction: proof.branch!.transaction.slice(1) } },
};
