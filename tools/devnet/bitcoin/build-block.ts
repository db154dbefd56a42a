// SPDX-License-Identifier: Apache-2.0
import { randomBytes } from 'node:crypto';
import { Block, script, Transaction } from 'bitcoinjs-lib';

/** Every other hash is small enough. */
const REGTEST_BITS = 0x207fffff;
const REGTEST_HALVING_INTERVAL = 150;
const COMMITMENT_HEADER = Buffer.from('aa21a9ed', 'hex');

export interface BlockPlan {
  readonly previousHash: string;
  readonly height: number;
  /** Unix seconds. */
  readonly time: number;
  /** Whom the subsidy goes to. Fees stay unclaimed. */
  readonly script: Uint8Array;
  /** Parents before children. */
  readonly transactions: readonly Transaction[];
}

/** A mined regtest block, unlike any other one of the same plan. */
export function buildBlock(plan: BlockPlan): Block {
  const block = new Block();
  const transactions = [buildCoinbase(plan), ...plan.transactions];
  block.version = 0x20000000;
  block.prevHash = Buffer.from(plan.previousHash, 'hex').reverse();
  block.timestamp = plan.time;
  block.bits = REGTEST_BITS;
  block.transactions = transactions;
  block.merkleRoot = Block.calculateMerkleRoot(transactions);
  while (!block.checkProofOfWork()) block.nonce += 1;
  return block;
}

function buildCoinbase({ height, script: payee, transactions }: BlockPlan): Transaction {
  const coinbase = new Transaction();
  coinbase.version = 2;
  // BIP-34: the height comes first.
  coinbase.addInput(
    new Uint8Array(32),
    0xffffffff,
    0xffffffff,
    script.compile([script.number.encode(height), randomBytes(8)]),
  );
  coinbase.addOutput(payee, 5_000_000_000n >> BigInt(Math.floor(height / REGTEST_HALVING_INTERVAL)));
  // The commitment of BIP-141, in which the coinbase itself counts as zeros.
  coinbase.setWitness(0, [new Uint8Array(32)]);
  const commitment = Block.calculateMerkleRoot([coinbase, ...transactions], true);
  coinbase.addOutput(
    script.compile([script.OPS.OP_RETURN!, Buffer.concat([COMMITMENT_HEADER, commitment])]),
    0n,
  );
  return coinbase;
}
