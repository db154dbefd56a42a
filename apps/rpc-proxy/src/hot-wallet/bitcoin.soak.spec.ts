// SPDX-License-Identifier: Apache-2.0
import { buildTransaction, createScriptKey, type KeyedCoin } from '@chainwatch/tool-devnet/bitcoin';
import { startBcoin, type BcoinHandle } from '@chainwatch/tool-devnet/start-bcoin';
import { SOAK_MS, WalletWorld } from './spec-wallet-world.ts';

const GENESIS = '000000000019d6689c085ae165831e934ff763ae46a2a6c172b3f1b60a8ce26f';
const WALLET = createScriptKey('p2wpkh', Buffer.alloc(32, 7));
const BOB = createScriptKey('p2wpkh', Buffer.alloc(32, 8));
/** More than it sends: an answer that is left out makes a worker pass over a coin. */
const COINS = 2_600;
const COIN_SAT = 1_000_000n;
const FEE_SAT = 2_000n;
const BLOCK_MS = 1_000;

let node: BcoinHandle;
let world: WalletWorld;
let coins: readonly KeyedCoin[];
let mining: NodeJS.Timeout;

beforeAll(async () => {
  node = await startBcoin();
  await node.mine(101, { script: WALLET.script });
  coins = await split();
  world = await WalletWorld.start({
    gid: `bip122:${GENESIS.slice(0, 32)}`,
    family: 'bitcoin',
    url: node.url,
    sends: /"sendrawtransaction"/,
    disguise: [
      [
        /"getblockhash".*"params":\[0\]/,
        (answer: { readonly id: unknown }) => ({ id: answer.id, error: null, result: GENESIS }),
      ],
    ],
  });
});
afterAll(async () => {
  clearTimeout(mining);
  await world.stop();
  await node.stop();
});

/** One coin for each payment. */
async function split(): Promise<KeyedCoin[]> {
  const [subsidy] = await node.readCoins([WALLET]);
  const outputs = Array.from({ length: COINS }, () => ({ script: WALLET.script, value: COIN_SAT }));
  const txid = await node.send(buildTransaction({ coins: [subsidy!], outputs }));
  await node.mine();
  return outputs.map(({ value }, vout) => ({ txid, vout, value, key: WALLET }));
}

const mineNext = (): void => {
  mining = setTimeout(() => void node.mine().then(mineNext), BLOCK_MS);
};

it(
  'no input is spent twice, nothing mined is told as failed, and no height falls',
  async () => {
    mineNext();
    /** The next coin that each worker asks about: of the other one's payments it knows from the chain alone. */
    const nextCoin = [0, 0];
    const mined = new Set<string>();
    await world.run({
      readHeights: async ({ call }, round) => {
        if (round % 4 > 1) return { height: (await call('getblockcount')).result };
        const { result } = await call('getblockchaininfo');
        return { height: (result as { blocks?: number } | null | undefined)?.blocks };
      },
      sign: async ({ index, call }) => {
        for (;;) {
          const { txid, vout, value, key } = coins[nextCoin[index]!]!;
          const { result } = await call('gettxout', [txid, vout, true]);
          if (result === undefined) return undefined;
          if (result === null) {
            nextCoin[index]! += 1;
            continue;
          }
          const transaction = buildTransaction({
            coins: [{ txid, vout, value, key }],
            outputs: [{ script: BOB.script, value: value - FEE_SAT }],
          });
          const hash = transaction.getId();
          return {
            hash,
            uses: `${txid}:${vout}`,
            send: async () => {
              const sent = await call('sendrawtransaction', [transaction.toHex()]);
              return sent.result === hash ? undefined : sent;
            },
          };
        }
      },
      settle: async () => {
        clearTimeout(mining);
        await node.mine(2);
        const height = await node.readHeight();
        for (let at = 1; at <= height; at += 1)
          for (const transaction of (await node.readBlock(at)).transactions ?? [])
            mined.add(transaction.getId());
      },
      isMined: async (hash) => mined.has(hash),
    });
  },
  SOAK_MS,
);
