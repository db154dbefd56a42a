// SPDX-License-Identifier: Apache-2.0
import { startTron, type TronHandle } from '@chainwatch/tool-devnet/start-tron';
import { createNamedAccount, TronWallet } from '@chainwatch/tool-devnet/tron';
import { SOAK_MS, toNumber, WalletWorld, type Worker } from './spec-wallet-world.ts';

const MAINNET = 0x2b6653dc;
const BOB = createNamedAccount('bob');
const BLOCK_MS = 1_000;

let tron: TronHandle;
let world: WalletWorld;
let mining: NodeJS.Timeout;

type Block = Parameters<typeof TronWallet.sign>[1];

beforeAll(async () => {
  tron = await startTron();
  await tron.node.mine(30);
  const chainId = `0x${MAINNET.toString(16)}`;
  world = await WalletWorld.start({
    gid: `tron:${chainId}`,
    family: 'tron',
    url: tron.url,
    sends: /broadcast/,
    disguise: [
      [/"eth_chainId"/, (answer: object) => ({ ...answer, result: chainId })],
      // The end of the genesis block's id is the chain's.
      [
        /"id_or_num":"0"|"num":0\b/,
        (block: Block) => ({ ...block, blockID: `${block.blockID.slice(0, -8)}${MAINNET.toString(16)}` }),
      ],
    ],
  });
});
afterAll(async () => {
  clearTimeout(mining);
  await world.stop();
  await tron.stop();
});

const mineNext = (): void => {
  mining = setTimeout(() => void tron.node.mine().then(mineNext), BLOCK_MS);
};

const numberOf = (block: object): unknown =>
  (block as { block_header?: Block['block_header'] }).block_header?.raw_data.number;

/** The head over both interfaces, and the solidified block. */
async function readHeights({ call, post }: Worker, round: number): Promise<Record<string, unknown>> {
  return {
    head: numberOf(await post('/wallet/getnowblock', {})),
    'head of JSON-RPC': toNumber((await call('eth_blockNumber')).result),
    ...(round % 2 === 0 && { solidified: numberOf(await post('/walletsolidity/getnowblock', {})) }),
  };
}

it(
  'nothing mined is told as failed, and no height falls',
  async () => {
    const [from] = tron.node.accounts;
    mineNext();
    await world.run({
      readHeights,
      sign: async ({ post }, count) => {
        const block = await post('/wallet/getblock', { detail: false });
        if (typeof block['blockID'] !== 'string') return undefined;
        const { txid, signed } = TronWallet.sign(from!, block as unknown as Block, {
          name: 'TransferContract',
          // No two payments are the same transaction.
          value: { to_address: BOB.hexAddress, amount: BigInt(count + 1) },
        });
        return {
          hash: txid,
          send: async () => {
            const answer = await post('/wallet/broadcasttransaction', signed);
            return answer['result'] === true && answer['txid'] === txid ? undefined : answer;
          },
        };
      },
      settle: async () => {
        clearTimeout(mining);
        await tron.node.mine(2);
      },
      isMined: async (hash) => tron.node.findTransaction(hash)?.block !== undefined,
    });
  },
  SOAK_MS,
);
