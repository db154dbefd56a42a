// SPDX-License-Identifier: Apache-2.0
import fc from 'fast-check';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { keccak_256 } from '@noble/hashes/sha3.js';
import { changeDigit } from '@chainwatch/testing';
import { InvalidProofError, verifyTransaction, type Proof } from '@chainwatch/verify';
import { computeBlockId } from './encode-header.ts';
import { encodeTransaction } from './encode-transaction.ts';
import { computeMerkleRoot } from './merkle-root.ts';
import { encodeBytes, encodeInt } from './protobuf.ts';
import { readProofs } from './read-proofs.ts';
import type { WalletSession } from './read-wallet-headers.ts';
import { sha256 } from './sha256.ts';
import { describeFixtures, readJson } from './spec-fixtures.ts';
import { tronNetworks } from './networks.ts';
import { TronClient } from './tron-client.ts';
import { encodeWalletHeader } from './verify-header.ts';
import type { WalletBlock, WalletTransaction } from './wallet-block.ts';

// Generated blocks of payments, signed by a producer of ours. Recorded ones have no signature of a block with its transactions.

const RUNS = Number(process.env.PROOF_RUNS ?? 500);
const producerKey = sha256(Buffer.from('producer'));
const producer = `41${Buffer.from(keccak_256(secp256k1.getPublicKey(producerKey, false).subarray(1)).subarray(12)).toString('hex')}`;
const address = (index: number): string => `41${index.toString(16).padStart(40, '0')}`;
const text = (value: string): Uint8Array => Buffer.from(value, 'utf8');

function makePayment(index: number): WalletTransaction {
  const transfer = Buffer.concat([
    encodeBytes(1, Buffer.from(address(1), 'hex')),
    encodeBytes(2, Buffer.from(address(index + 2), 'hex')),
    encodeInt(3, BigInt(index + 1)),
  ]);
  const parameter = Buffer.concat([
    encodeBytes(1, text('type.googleapis.com/protocol.TransferContract')),
    encodeBytes(2, transfer),
  ]);
  const contract = Buffer.concat([encodeInt(1, 1n), encodeBytes(2, parameter)]);
  const rawData = Buffer.concat([encodeInt(8, BigInt(index + 1)), encodeBytes(11, contract)]);
  return {
    txID: sha256(rawData).toString('hex'),
    raw_data_hex: rawData.toString('hex'),
    signature: ['ab'.repeat(65)],
    ret: [{ contractRet: index % 5 === 4 ? 'OUT_OF_ENERGY' : 'SUCCESS' }],
  };
}

function makeBlock(count: number): WalletBlock {
  const transactions = Array.from({ length: count }, (_, index) => makePayment(index));
  const leaves = transactions.map((tx) => sha256(encodeTransaction(Buffer.from(tx.raw_data_hex, 'hex'), tx)));
  const raw = {
    timestamp: 1_700_000_000_000,
    txTrieRoot: computeMerkleRoot(leaves).toString('hex'),
    parentHash: '00'.repeat(32),
    number: 78_000_000,
    witness_address: producer,
    version: 31,
  };
  const header = encodeWalletHeader(raw);
  const { recovery, ...signed } = sign(sha256(header));
  return {
    blockID: computeBlockId({
      timestamp: BigInt(raw.timestamp),
      txTrieRoot: Buffer.from(raw.txTrieRoot, 'hex'),
      parentHash: Buffer.from(raw.parentHash, 'hex'),
      number: BigInt(raw.number),
      witnessId: 0n,
      witnessAddress: Buffer.from(producer, 'hex'),
      version: 31n,
      accountStateRoot: Buffer.alloc(0),
    }),
    block_header: {
      raw_data: raw,
      witness_signature: `${signed.hex}${recovery.toString(16).padStart(2, '0')}`,
    },
    transactions,
  };
}

function sign(digest: Uint8Array): { readonly hex: string; readonly recovery: number } {
  // Recovery bit in front of r and s.
  const bytes = secp256k1.sign(digest, producerKey, { prehash: false, format: 'recovered' });
  return { hex: Buffer.from(bytes.subarray(1)).toString('hex'), recovery: bytes[0]! };
}

async function proveAll(block: WalletBlock, number = 78_000_000): Promise<Proof[]> {
  const session = { wallet: { call: () => Promise.resolve(block) } } as unknown as WalletSession;
  const ref = { number, hash: block.blockID };
  const hashes = block.transactions!.map(({ txID }) => txID);
  const proofs = await readProofs(session, { ref, hashes: [...hashes, '77'.repeat(32)] });
  expect([...proofs.keys()]).toEqual(hashes);
  return [...proofs].map(([hash, proof]) => ({
    chain_gid: 'tron:0x2b6653dc',
    hash,
    block_hash: ref.hash,
    block_number: ref.number,
    ...(proof as Pick<Proof, 'type' | 'header' | 'branch' | 'item'>),
  }));
}

it.each([1, 2, 3, 5, 8, 13, 31])('shows each of %d transactions, and whether it failed', async (count) => {
  const block = makeBlock(count);
  for (const [index, proof] of (await proveAll(block)).entries())
    expect(await verifyTransaction(proof, { trustedBlockHash: block.blockID })).toMatchObject({
      index,
      isFailed: index % 5 === 4,
      producer: { address: producer, signer: producer },
      transfers:
        index % 5 === 4
          ? []
          : [{ type: 'native', from: address(1), to: address(index + 2), amountRaw: BigInt(index + 1) }],
    });
});

it('cannot show it by the Ethereum-compatible interface, as another node may', async () => {
  const network = tronNetworks.find(({ gid }) => gid === 'tron:0x2b6653dc')!;
  const client = new TronClient({ network, endpointUrl: 'http://127.0.0.1:1/jsonrpc' });
  const hash = '11'.repeat(32);
  expect((await client.readProofs({ number: 1, hash: '00'.repeat(32) }, [hash])).get(hash)).toEqual({
    type: 'none',
    reason: expect.stringContaining('Only the wallet API'),
    othersMayShow: true,
  });
  client.close();
});

it('names another signer where the signature is not the producer’s, and refuses what is none', async () => {
  const block = makeBlock(3);
  const [proof] = await proveAll(block);
  const trust = { trustedBlockHash: block.blockID };
  const other = {
    ...proof!,
    signature: changeDigit(proof!.signature!.slice(0, 128), 100) + proof!.signature!.slice(128),
  };
  const shown = await verifyTransaction(other, trust).catch((error: unknown) => error);
  if (shown instanceof InvalidProofError) expect(shown.message).toContain('it is none of the header');
  else expect(shown).not.toMatchObject({ producer: { signer: producer } });
  await expect(verifyTransaction({ ...proof!, signature: 'ab'.repeat(64) }, trust)).rejects.toThrow(
    '65 bytes',
  );
});

describeFixtures('a recorded block of java-tron', () => {
  it('shows its transactions, and that its producer signed it', async () => {
    const block = readJson<WalletBlock>('java-tron-4.8.2-privnet.getblockbynum.json');
    const address = block.block_header.raw_data.witness_address;
    const proofs = await proveAll(block, 165);
    expect(proofs.length).toBeGreaterThan(0);
    for (const [index, proof] of proofs.entries())
      expect(await verifyTransaction(proof, { trustedBlockHash: block.blockID })).toMatchObject({
        index,
        producer: { address, signer: address },
      });
  });
});

it('refuses what was changed: any byte, place or branch', async () => {
  const block = makeBlock(21);
  const proofs = await proveAll(block);
  const any = fc.integer({ min: 0, max: 2 ** 30 });
  const kinds = Object.keys(TAMPERINGS) as (keyof typeof TAMPERINGS)[];
  await fc.assert(
    fc.asyncProperty(any, any, fc.constantFrom(...kinds), async (which, at, kind) => {
      const tampered = TAMPERINGS[kind](proofs[which % proofs.length]!, at);
      await expect(verifyTransaction(tampered, { trustedBlockHash: block.blockID })).rejects.toThrow(
        InvalidProofError,
      );
    }),
    { numRuns: RUNS * kinds.length },
  );
});

const TAMPERINGS = {
  header: (proof: Proof, at: number): Proof => ({ ...proof, header: changeDigit(proof.header!, at) }),
  transaction: (proof: Proof, at: number): Proof => ({
    ...proof,
    item: { ...proof.item!, transaction: changeDigit(proof.item!.transaction, at) },
  }),
  index: (proof: Proof, at: number): Proof => ({
    ...proof,
    item: { ...proof.item!, index: proof.item!.index + 1 + (at % 1_000) },
  }),
  branch: (proof: Proof, at: number): Proof => {
    const { transaction } = proof.branch!;
    const level = transaction.findIndex((each) => each !== null);
    return {
      ...proof,
      branch: {
        transaction: transaction.map((each, at2) => (at2 === level ? changeDigit(each!, at) : each)),
      },
    };
  },
};
