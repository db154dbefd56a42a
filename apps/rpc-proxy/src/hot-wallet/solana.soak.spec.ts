// SPDX-License-Identifier: Apache-2.0
import { Keypair, SystemProgram, TransactionMessage, VersionedTransaction } from '@solana/web3.js';
import { base58 } from '@scure/base';
import { startSolana, type SolanaHandle } from '@chainwatch/tool-devnet/start-solana';
import { waitFor } from '@chainwatch/testing';
import { SOAK_MS, WalletWorld, type Worker } from './spec-wallet-world.ts';

const GENESIS = '5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d';
const WALLET = Keypair.fromSeed(Buffer.alloc(32, 7));
const BOB = Keypair.fromSeed(Buffer.alloc(32, 8)).publicKey;
/** Pays for the rent of an account, too. */
const LAMPORTS = 1_000_000;
const LAMPORTS_OF_WALLET = 100_000_000_000n;
const SLOT_MS = 400;

let node: SolanaHandle;
let world: WalletWorld;

beforeAll(async () => {
  node = await startSolana({ intervalMs: SLOT_MS });
  // Final blocks from the beginning on.
  await node.produce(40);
  await node.airdrop(WALLET.publicKey, LAMPORTS_OF_WALLET);
  await waitFor(async () => (await node.connection.getBalance(WALLET.publicKey)) > 0);
  world = await WalletWorld.start({
    gid: `solana:${GENESIS.slice(0, 32)}`,
    family: 'solana',
    url: node.url,
    sends: /"sendTransaction"/,
    disguise: [[/"getGenesisHash"/, (answer: object) => ({ ...answer, result: GENESIS })]],
  });
});
afterAll(async () => {
  await world.stop();
  await node.stop();
});

interface WithContext {
  readonly context?: { readonly slot?: number };
  readonly value?: { readonly blockhash?: string };
}

/** Each commitment is compared with itself, whichever method tells it. The local node has the state of its head alone. */
async function readHeights({ call }: Worker, round: number): Promise<Record<string, unknown>> {
  if (round % 2 === 0)
    return {
      finalized: (await call('getSlot', [{ commitment: 'finalized' }])).result,
      'height of finalized': (await call('getBlockHeight')).result,
    };
  if (round % 4 === 1) return { confirmed: (await call('getSlot', [{ commitment: 'confirmed' }])).result };
  const { result } = await call('getBalance', [WALLET.publicKey.toBase58(), { commitment: 'confirmed' }]);
  return { confirmed: (result as WithContext | null | undefined)?.context?.slot };
}

it(
  'nothing mined is told as failed, and no slot falls',
  async () => {
    await world.run({
      readHeights,
      sign: async ({ call }, count) => {
        const { result } = await call('getLatestBlockhash', [{ commitment: 'confirmed' }]);
        const recentBlockhash = (result as WithContext | null | undefined)?.value?.blockhash;
        if (recentBlockhash === undefined) return undefined;
        const message = new TransactionMessage({
          payerKey: WALLET.publicKey,
          recentBlockhash,
          // No two payments are the same transaction.
          instructions: [
            SystemProgram.transfer({
              fromPubkey: WALLET.publicKey,
              toPubkey: BOB,
              lamports: LAMPORTS + count,
            }),
          ],
        });
        const transaction = new VersionedTransaction(message.compileToV0Message());
        transaction.sign([WALLET]);
        const hash = base58.encode(transaction.signatures[0]!);
        const raw = Buffer.from(transaction.serialize()).toString('base64');
        return {
          hash,
          send: async () => {
            const sent = await call('sendTransaction', [raw, { encoding: 'base64' }]);
            return sent.result === hash ? undefined : sent;
          },
        };
      },
      settle: async () => void (await node.produce(2)),
      isMined: async (hash) => {
        const { value } = await node.call<{ value: ({ readonly err: unknown } | null)[] }>(
          'getSignatureStatuses',
          [[hash], { searchTransactionHistory: true }],
        );
        return value[0] !== null && value[0]?.err === null;
      },
    });
  },
  SOAK_MS,
);
