// SPDX-License-Identifier: Apache-2.0
import { randomBytes } from 'node:crypto';
import { Block, Transaction } from 'bitcoinjs-lib';
import { hash256 } from './hash.ts';
import { computeMerkleRoot } from './merkle-root.ts';

export interface BlockContents {
  /** Without the coinbase. */
  readonly transactions: readonly Transaction[];
  readonly previous?: Uint8Array;
  /** Default true. */
  readonly hasCommitment?: boolean;
  /** Where the coinbase stands, default 0. */
  readonly coinbaseAt?: number;
}

const regtestBits = 0x207fffff;

/** A regtest block with proof of work, valid unless asked otherwise. */
export function buildSpecBlock({
  transactions,
  previous = randomBytes(32),
  hasCommitment = true,
  coinbaseAt = 0,
}: BlockContents): Block {
  const coinbase = buildCoinbase(hasCommitment ? commitTo(transactions) : undefined);
  const block = new Block();
  block.version = 0x20000000;
  block.prevHash = previous;
  block.timestamp = 1_700_000_000;
  block.bits = regtestBits;
  block.transactions = transactions.toSpliced(coinbaseAt, 0, coinbase);
  block.merkleRoot = computeMerkleRoot(
    block.transactions.map((transaction) => Buffer.from(transaction.getHash())),
  ).root;
  while (!block.checkProofOfWork()) block.nonce++;
  return block;
}

/** A payment of a made-up output, with a witness unless it is of the old kind. */
export function buildSpecTransaction({
  hasWitness = true,
  outputs = 2,
  inputs = [{ txid: randomBytes(32).toString('hex'), vout: 1 }],
} = {}): Transaction {
  const transaction = new Transaction();
  transaction.version = 2;
  for (const { txid, vout } of inputs) {
    const index = transaction.addInput(
      Buffer.from(txid, 'hex').reverse(),
      vout,
      0xfffffffd,
      hasWitness ? undefined : randomBytes(70),
    );
    if (hasWitness) transaction.setWitness(index, [randomBytes(71), randomBytes(33)]);
  }
  for (let index = 0; index < outputs; index++)
    transaction.addOutput(
      Buffer.concat([Buffer.from('0014', 'hex'), randomBytes(20)]),
      BigInt(1_000 + index),
    );
  return transaction;
}

function buildCoinbase(commitment: Buffer | undefined): Transaction {
  const transaction = new Transaction();
  transaction.addInput(Buffer.alloc(32), 0xffffffff, 0xffffffff, randomBytes(8));
  transaction.addOutput(
    Buffer.concat([Buffer.from('76a914', 'hex'), randomBytes(20), Buffer.from('88ac', 'hex')]),
    5_000_000_000n,
  );
  if (commitment === undefined) return transaction;
  transaction.addOutput(Buffer.concat([Buffer.from('6a24aa21a9ed', 'hex'), commitment]), 0n);
  transaction.setWitness(0, [Buffer.alloc(32)]);
  return transaction;
}

function commitTo(transactions: readonly Transaction[]): Buffer {
  const leaves = [
    Buffer.alloc(32),
    ...transactions.map((transaction) => Buffer.from(transaction.getHash(true))),
  ];
  return hash256(Buffer.concat([computeMerkleRoot(leaves).root, Buffer.alloc(32)]));
}
