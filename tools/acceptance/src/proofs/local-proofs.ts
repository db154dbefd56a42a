// SPDX-License-Identifier: Apache-2.0
import type { BlockRef } from '@chainwatch/chain-core';
import { findFamily, findNetwork } from '@chainwatch/chain-registry';
import { startAnvil, waitFor, type AnvilHandle } from '@chainwatch/testing';
import { buildTransaction, createScriptKey, type ScriptKey } from '@chainwatch/tool-devnet/bitcoin';
import { contracts } from '@chainwatch/tool-devnet/evm';
import { startBcoin, type BcoinHandle } from '@chainwatch/tool-devnet/start-bcoin';
import { startTron } from '@chainwatch/tool-devnet/start-tron';
import { TronWallet, type TronAccount } from '@chainwatch/tool-devnet/tron';
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

/** Reads the proofs of a block's transactions from a node of the chain. */
async function proveAll(
  chain: { readonly gid: string; readonly url: string },
  ref: BlockRef,
  sent: readonly Sent[],
): Promise<LocalProof[]> {
  const network = findNetwork(chain.gid)!;
  const family = (await findFamily(chain.gid.split(':')[0]!))!;
  const client = family.createClient({ network, endpointUrl: chain.url, timeoutMs: 60_000 });
  try {
    const shown = await client.readProofs!(
      ref,
      sent.map(({ hash }) => hash),
    );
    return sent.map(({ hash, ...rest }) => ({
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
        ...(shown.get(hash) as Partial<Proof>),
      },
    }));
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
  const kind = random.pick(['native', 'native', 'token', 'many', 'failed']);
  if (kind === 'native')
    return {
      call: { ...price, to, value: `0x${amountRaw.toString(16)}` },
      paid: [{ to, amountRaw }],
      isFailed: false,
    };
  if (kind === 'failed')
    return {
      call: { ...price, to: token, data: `0x${toTokenData('transferFrom', [to, to, amountRaw])}` },
      paid: [],
      isFailed: true,
    };
  const receivers = kind === 'token' ? [to] : [to, address(random), address(random)];
  const data =
    kind === 'token'
      ? toTokenData('transfer', [to, amountRaw])
      : toTokenData('transferMany', [receivers, amountRaw]);
  return {
    call: { ...price, to: token, data: `0x${data}` },
    paid: receivers.map((receiver) => ({ to: receiver, amountRaw })),
    isFailed: false,
  };
}

/** Without 0x. */
function toTokenData(functionName: string, args: readonly unknown[]): string {
  return encodeFunctionData({ abi: contracts.TestToken.abi as Abi, functionName, args }).slice(2);
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

/** Payments of TRX, of a TRC-10 asset, of a TRC-20 token, and failures in one block of the local TRON node. */
export async function proveTron({ count, random }: Amount): Promise<LocalProof[]> {
  const { node, url, stop } = await startTron();
  try {
    const wallet = new TronWallet(url);
    const from = node.accounts[0]!;
    const issue = { name: '50', abbr: '50', total_supply: 10n ** 12n, trx_num: 1n, num: 1n, precision: 2n };
    const { txid: issued } = await wallet.send(from, { name: 'AssetIssueContract', value: issue });
    const { txid: deployed } = await wallet.deploy(from, contracts.TestToken.bytecode.slice(2));
    await node.mine();
    const { assetIssueID: asset } = await readTronInfo(wallet, issued);
    const { contract_address: token } = await readTronInfo(wallet, deployed);
    await wallet.trigger(from, {
      contract: token!,
      data: toTokenData('mint', [toEvm(from.hexAddress), 10n ** 30n]),
    });
    await node.mine();
    const sent: Sent[] = [];
    while (sent.length < count)
      sent.push(await sendTron(wallet, { from, asset: asset!, token: token!, random }));
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

const toEvm = (hexAddress: string): string => `0x${hexAddress.slice(2)}`;

function readTronInfo(
  wallet: TronWallet,
  txid: string,
): Promise<{ readonly assetIssueID?: string; readonly contract_address?: string }> {
  return wallet.call('wallet/gettransactioninfobyid', { value: txid });
}

async function sendTron(
  wallet: TronWallet,
  {
    from,
    asset,
    token: contract,
    random,
  }: {
    readonly from: TronAccount;
    readonly asset: string;
    readonly token: string;
    readonly random: Random;
  },
): Promise<Sent> {
  const to = `41${hex(bytes(random, 20))}`;
  const amountRaw = BigInt(random.int(1, 1_000));
  const trigger = (name: string, args: readonly unknown[]) =>
    wallet.trigger(from, { contract, data: toTokenData(name, args) });
  switch (random.pick(['native', 'native', 'asset', 'token', 'failed'] as const)) {
    case 'native': {
      const { txid } = await wallet.sendTrx(from, { to, sun: amountRaw });
      return { hash: txid, paid: [{ to, amountRaw }], isFailed: false };
    }
    case 'asset': {
      const { txid } = await wallet.sendToken(from, { to, id: asset, amount: amountRaw });
      return { hash: txid, paid: [{ to, amountRaw }], isFailed: false };
    }
    case 'token': {
      // Nothing covers logs.
      const { txid } = await trigger('transfer', [toEvm(to), amountRaw]);
      return { hash: txid, paid: [], isFailed: false };
    }
    case 'failed': {
      const { txid } = await trigger('transferFrom', [toEvm(to), toEvm(to), amountRaw]);
      return { hash: txid, paid: [], isFailed: true };
    }
  }
}
