import type { BlockRef } from '@chainwatch/chain-core';
import { findFamily, findNetwork } from '@chainwatch/chain-registry';
import { startAnvil, waitFor, type AnvilHandle } from '@chainwatch/testing';
import { buildTransaction, createScriptKey, type ScriptKey } from '@chainwatch/tool-devnet/bitcoin';
import { contracts } from '@chainwatch/tool-devnet/evm';
import { startBcoin, type BcoinHandle } from '@chainwatch/tool-devnet/start-bcoin';
import { startTron } from '@chainwatch/tool-devnet/start-tron';
import { TronWallet } from '@chainwatch/tool-devnet/tron';
import type { Proof } from '@chainwatch/verify';
import { encodeFunctionData, type Abi } from 'viem';
import type { Random } from '../random.ts';

/** A proof, and what the transaction was made to move. */
export interface LocalProof {
  readonly proof: Proof;
  /** Members of its transfers, in their order, as far as the maker knows them. */
  readonly paid: readonly { readonly to?: string; readonly script?: string; readonly amountRaw: bigint }[];
  readonly isFailed: boolean;
}

export interface Amount {
  readonly count: number;
  readonly random: Random;
}

interface Sent extends Pick<LocalProof, 'paid' | 'isFailed'> {
  readonly hash: string;
}

const hex = (content: Uint8Array): string => Buffer.from(content).toString('hex');

/** Reads the proof of each transaction of a block from a node of the chain. */
async function proveAll(
  chain: { readonly gid: string; readonly url: string },
  ref: BlockRef,
  sent: readonly Sent[],
): Promise<LocalProof[]> {
  const network = findNetwork(chain.gid)!;
  const family = (await findFamily(chain.gid.split(':')[0]!))!;
  const client = family.createClient({ network, endpointUrl: chain.url, timeoutMs: 60_000 });
  try {
    const proofs: LocalProof[] = [];
    for (const { hash, ...rest } of sent)
      proofs.push({
        ...rest,
        proof: {
          type: '',
          chain_gid: chain.gid,
          hash,
          block_hash: ref.hash,
          block_number: ref.number,
          header: null,
          branch: null,
          item: null,
          ...((await client.readProof!(ref, hash)) as Partial<Proof>),
        },
      });
    return proofs;
  } finally {
    client.close();
  }
}

const bytes = (random: Random, count: number): Buffer =>
  Buffer.from(Array.from({ length: count }, () => random.int(0, 255)));
const address = (random: Random): string => `0x${hex(bytes(random, 20))}`;

/** Payments of every type, tokens and failures in one block of anvil. */
export async function proveEvm({ count, random }: Amount): Promise<LocalProof[]> {
  const node = await startAnvil({ args: ['--no-mining', '--gas-limit', '2000000000'] });
  try {
    const [from] = await node.rpc<[string]>('eth_accounts');
    const token = await deployToken(node, from);
    const sent: Sent[] = [];
    for (let left = count; left > 0; left -= 1) {
      const { call, ...made } = makeCall(random, token);
      const hash = await node.rpc<string>('eth_sendTransaction', [{ from, gas: '0x30d40', ...call }]);
      sent.push({ hash, ...made });
    }
    const { blockNumber, blockHash } = await mineReceipt(node, sent.at(-1)!.hash);
    return await proveAll(
      { gid: 'eip155:31337', url: node.url },
      { number: Number(blockNumber), hash: blockHash },
      sent,
    );
  } finally {
    await node.stop();
  }
}

async function deployToken(node: AnvilHandle, from: string): Promise<string> {
  const { bytecode, abi } = contracts.TestToken;
  const hash = await node.rpc<string>('eth_sendTransaction', [{ from, data: bytecode, gas: '0x2dc6c0' }]);
  const { contractAddress } = await mineReceipt(node, hash);
  const data = encodeFunctionData({ abi: abi as Abi, functionName: 'mint', args: [from, 10n ** 30n] });
  const minting = { from, to: contractAddress, data, gas: '0x30d40' };
  await mineReceipt(node, await node.rpc<string>('eth_sendTransaction', [minting]));
  return contractAddress;
}

interface Receipt {
  readonly blockNumber: string;
  readonly blockHash: string;
  readonly contractAddress: string;
}

/** The node answers before it mines. */
async function mineReceipt(node: AnvilHandle, hash: string): Promise<Receipt> {
  await node.mine();
  return waitFor(() => node.rpc<Receipt | null>('eth_getTransactionReceipt', [hash]));
}

/** Of transactions of type 0, 1, and 2. */
const PRICES = [
  { gasPrice: '0x77359400' },
  { gasPrice: '0x77359400', accessList: [] },
  { maxFeePerGas: '0x77359400', maxPriorityFeePerGas: '0x1' },
];

function makeCall(
  random: Random,
  token: string,
): Omit<Sent, 'hash'> & { readonly call: Readonly<Record<string, unknown>> } {
  const to = address(random);
  const amountRaw = BigInt(random.int(1, 1_000_000));
  const price = random.pick(PRICES);
  const toData = (functionName: string, args: readonly unknown[]): string =>
    encodeFunctionData({ abi: contracts.TestToken.abi as Abi, functionName, args });
  const kind = random.pick(['native', 'native', 'token', 'many', 'failed']);
  if (kind === 'native')
    return {
      call: { ...price, to, value: `0x${amountRaw.toString(16)}` },
      paid: [{ to, amountRaw }],
      isFailed: false,
    };
  if (kind === 'failed')
    return {
      call: { ...price, to: token, data: toData('transferFrom', [to, to, amountRaw]) },
      paid: [],
      isFailed: true,
    };
  const receivers = kind === 'token' ? [to] : [to, address(random), address(random)];
  const data =
    kind === 'token' ? toData('transfer', [to, amountRaw]) : toData('transferMany', [receivers, amountRaw]);
  return {
    call: { ...price, to: token, data },
    paid: receivers.map((receiver) => ({ to: receiver, amountRaw })),
    isFailed: false,
  };
}

/** Payments with outputs of every kind in one block of bcoin, and its coinbase. */
export async function proveBitcoin({ count, random }: Amount): Promise<LocalProof[]> {
  const node = await startBcoin({ hasCoinScan: true });
  try {
    const owner = createScriptKey('p2wpkh', bytes(random, 32));
    const coins = await splitCoin(node, owner, count);
    const sent = await Promise.all(
      coins.map(async (coin) => {
        const receiver = createScriptKey(
          random.pick(['p2pkh', 'p2sh-p2wpkh', 'p2wpkh', 'p2tr']),
          bytes(random, 32),
        );
        const value = BigInt(random.int(1_000, 20_000));
        const outputs = [
          { script: receiver.script, value },
          { script: owner.script, value: coin.value - value - 2_000n },
        ];
        return {
          hash: await node.send(buildTransaction({ coins: [coin], outputs })),
          paid: outputs.map(({ script, value: amountRaw }) => ({ script: hex(script), amountRaw })),
          isFailed: false,
        };
      }),
    );
    const [hash] = await node.mine(1, { script: owner.script });
    const ref = { number: await node.readHeight(), hash: hash! };
    const [coinbase] = (await node.readBlock(hash!)).transactions!;
    const paid = coinbase!.outs.map(({ script, value }) => ({ script: hex(script), amountRaw: value }));
    return await proveAll({ gid: 'bip122:0f9188f13cb7b2c71f2a335e3a4fc328', url: node.url }, ref, [
      { hash: coinbase!.getId(), paid, isFailed: false },
      ...sent,
    ]);
  } finally {
    await node.stop();
  }
}

/** As many coins as transactions are wanted. */
async function splitCoin(node: BcoinHandle, owner: ScriptKey, count: number) {
  await node.mine(101, { script: owner.script });
  const [coin] = (await node.readCoins([owner])).filter(({ height }) => height === 1);
  const value = 30_000n;
  const split = buildTransaction({
    coins: [coin!],
    outputs: Array.from({ length: count }, () => ({ script: owner.script, value })),
  });
  await node.mine(1, { script: owner.script, transactions: [split] });
  const txid = split.getId();
  return Array.from({ length: count }, (_, vout) => ({ txid, vout, value, key: owner }));
}

/** Payments of TRX in one block of the local TRON node. */
export async function proveTron({ count, random }: Amount): Promise<LocalProof[]> {
  const { node, url, stop } = await startTron();
  try {
    const wallet = new TronWallet(url);
    const sent: Sent[] = [];
    for (let left = count; left > 0; left -= 1) {
      const to = `41${hex(bytes(random, 20))}`;
      const amountRaw = BigInt(random.int(1, 1_000));
      const { txid } = await wallet.sendTrx(node.accounts[0]!, { to, sun: amountRaw });
      sent.push({ hash: txid, paid: [{ to, amountRaw }], isFailed: false });
    }
    await node.mine();
    return await proveAll(
      { gid: 'tron:0x7a69', url },
      { number: node.head.number, hash: node.head.id },
      sent,
    );
  } finally {
    await stop();
  }
}
