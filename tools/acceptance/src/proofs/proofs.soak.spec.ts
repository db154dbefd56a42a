// SPDX-License-Identifier: Apache-2.0
import { verifyTransaction } from '@chainwatch/verify';
import { Random } from '../random.ts';
import { proveBitcoin, proveEvm, proveTron, type Amount, type LocalProof } from './local-proofs.ts';

/** Random transactions of local nodes, over all chains. */
const RUNS = Number(process.env.PROOF_RUNS ?? 300);
/** Of one block. */
const BLOCK_MAX = 200;
const seed = Number(process.env.SOAK_SEED ?? Date.now() % 1_000_000);

const CHAINS: Readonly<Record<string, (amount: Amount) => Promise<LocalProof[]>>> = {
  anvil: proveEvm,
  bcoin: proveBitcoin,
  'the local TRON node': proveTron,
};

it.each(Object.keys(CHAINS))(
  'random transactions of %s are verified, and show what they paid',
  async (name) => {
    const random = new Random(seed);
    const wanted = Math.ceil(RUNS / Object.keys(CHAINS).length);
    let count = 0;
    while (count < wanted) {
      const proofs = await CHAINS[name]!({
        count: Math.min(wanted - count, random.int(1, BLOCK_MAX)),
        random,
      });
      for (const { proof, paid, isFailed } of proofs) {
        const shown = await verifyTransaction(proof, { trustedBlockHash: proof.block_hash });
        expect({ seed, isFailed: shown.isFailed, transfers: shown.transfers }).toMatchObject({
          seed,
          isFailed,
          transfers: paid,
        });
      }
      count += proofs.length;
    }
    console.log(`${name}: ${count} transactions were verified (seed ${seed})`);
  },
  3_600_000,
);
