// SPDX-License-Identifier: Apache-2.0
import type { StoredBlock, StoredTransaction, TronNode } from './tron-node.ts';

/** `tron-local` in the catalogue. */
const CHAIN_ID = 0x7a69;

/** An error of the JSON-RPC interface. */
export class EvmError extends Error {
  readonly code: number;
  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

type Params = readonly unknown[];

/** Java-tron's Ethereum-compatible interface, with its gaps: state at the latest block alone, no traces, zeros for what TRON does not have. */
export async function answerEvm(node: TronNode, method: string, params: Params): Promise<unknown> {
  switch (method) {
    case 'eth_chainId':
    case 'net_version':
      return quantity(CHAIN_ID);
    case 'web3_clientVersion':
      return 'TRON/v4.8.1/Linux/Java1.8';
    case 'eth_blockNumber':
      return quantity(node.head.number);
    case 'eth_gasPrice':
      return '0x64';
    case 'eth_getBlockByNumber':
      return show(findByTag(node, params[0]), params[1] === true);
    case 'eth_getBlockByHash':
      return show(node.findBlock(toId(params[0])), params[1] === true);
    case 'eth_getBlockReceipts':
      return (
        findByTag(node, params[0])?.transactions.map((_, index, all) =>
          showReceipt(findByTag(node, params[0])!, all, index),
        ) ?? null
      );
    case 'eth_getTransactionReceipt':
      return findReceipt(node, toId(params[0]));
    case 'eth_getTransactionByHash':
      return findTransaction(node, toId(params[0]));
    case 'eth_getBalance':
      return `0x${(await node.vm.readBalance(`41${atLatest(params)}`)).toString(16)}`;
    case 'eth_getCode':
      return node.vm.readCode(`41${atLatest(params)}`);
    case 'eth_call':
      return call(node, params);
    case 'eth_getLogs':
      return getLogs(node, params[0] as { blockHash?: string; fromBlock?: string; toBlock?: string });
    default:
      throw new EvmError(-32601, `the method ${method} does not exist/is not available`);
  }
}

function atLatest([address, tag]: Params): string {
  if (tag !== 'latest') throw new EvmError(-32602, 'QUANTITY not supported, just support TAG as latest');
  if (!/[0-9a-f]{40}$/i.test(String(address))) throw new EvmError(-32602, 'invalid address hash value');
  return String(address).slice(-40).toLowerCase();
}

async function call(node: TronNode, [request, tag]: Params): Promise<string> {
  if (typeof tag === 'string' && tag !== 'latest')
    throw new EvmError(-32602, 'QUANTITY not supported, just support TAG as latest');
  const {
    to = '',
    data,
    from = `0x${'0'.repeat(40)}`,
  } = request as { to?: string; data?: string; from?: string };
  if (!/[0-9a-f]{40}$/i.test(to)) throw new EvmError(-32602, 'invalid address hash value');
  const contract = `41${to.slice(-40).toLowerCase()}`;
  if ((await node.vm.readCode(contract)) === '0x') throw new EvmError(-32600, 'Smart contract is not exist.');
  const result = await node.vm.view(contract, {
    data: (data ?? '0x').slice(2),
    from: `41${from.slice(-40).toLowerCase()}`,
  });
  if ('error' in result) throw new EvmError(-32000, 'REVERT opcode executed');
  return result.output;
}

function findByTag(node: TronNode, tag: unknown): StoredBlock | undefined {
  if (tag === 'latest') return node.head;
  if (tag === 'finalized') return node.solidified;
  if (tag === 'earliest') return node.findBlock(0);
  if (typeof tag === 'string' && /^0x[0-9a-f]{64}$/i.test(tag)) return node.findBlock(toId(tag));
  if (typeof tag === 'string' && /^0x[0-9a-f]{1,13}$/i.test(tag)) return node.findBlock(Number(tag));
  throw new EvmError(-32602, 'invalid block number');
}

function show(block: StoredBlock | undefined, isFull: boolean): object | null {
  if (block === undefined) return null;
  const { header, transactions } = block;
  return {
    number: quantity(block.number),
    hash: `0x${block.id}`,
    parentHash: prefixed(header.parentHash),
    timestamp: quantity(Math.floor(block.timestampMs / 1_000)),
    transactionsRoot: prefixed(header.txTrieRoot),
    stateRoot: '0x',
    receiptsRoot: zeros(32),
    logsBloom: zeros(256),
    sha3Uncles: zeros(32),
    mixHash: zeros(32),
    nonce: zeros(8),
    miner: block.number === 0 ? zeros(20) : prefixed(header.witnessAddress.slice(1)),
    difficulty: '0x0',
    totalDifficulty: '0x0',
    extraData: '0x',
    size: '0x400',
    baseFeePerGas: '0x0',
    gasLimit: '0x0',
    gasUsed: quantity(transactions.reduce((sum, tx) => sum + energyOf(tx), 0)),
    uncles: [],
    transactions: transactions.map((tx, index) =>
      isFull ? showTransaction(block, tx, index) : `0x${tx.txid}`,
    ),
  };
}

function showTransaction(block: StoredBlock, tx: StoredTransaction, index: number): object {
  const signature = tx.signatures[0] ?? '';
  return {
    hash: `0x${tx.txid}`,
    blockHash: `0x${block.id}`,
    blockNumber: quantity(block.number),
    transactionIndex: quantity(index),
    type: '0x0',
    nonce: zeros(8),
    from: accountOf(tx, 'owner_address'),
    to: receiverOf(tx),
    value: quantity(valueOf(tx)),
    gas: quantity(energyOf(tx)),
    gasPrice: '0x64',
    input: tx.call.name === 'TriggerSmartContract' ? `0x${String(tx.call.value['data'] ?? '')}` : '0x',
    v: '0x1b',
    r: `0x${signature.slice(0, 64)}`,
    s: `0x${signature.slice(64, 128)}`,
  };
}

interface Log {
  readonly address: string;
  readonly topics: readonly string[];
  readonly data?: string;
}

function showReceipt(block: StoredBlock, all: readonly StoredTransaction[], index: number): object {
  const tx = all[index]!;
  const before = all.slice(0, index);
  const firstLog = before.reduce((sum, one) => sum + logsOf(one).length, 0);
  const place = {
    blockHash: `0x${block.id}`,
    blockNumber: quantity(block.number),
    transactionHash: `0x${tx.txid}`,
    transactionIndex: quantity(index),
  };
  return {
    ...place,
    from: accountOf(tx, 'owner_address'),
    to: receiverOf(tx),
    type: '0x0',
    status: tx.contractRet === 'SUCCESS' ? '0x1' : '0x0',
    effectiveGasPrice: '0x64',
    gasUsed: quantity(energyOf(tx)),
    cumulativeGasUsed: quantity([...before, tx].reduce((sum, one) => sum + energyOf(one), 0)),
    contractAddress:
      tx.call.name === 'CreateSmartContract' ? `0x${String(tx.info['contract_address']).slice(2)}` : null,
    logsBloom: zeros(256),
    logs: logsOf(tx).map(({ address, topics, data }, at) => ({
      ...place,
      address: `0x${address}`,
      topics: topics.map((topic) => `0x${topic}`),
      data: `0x${data ?? ''}`,
      logIndex: quantity(firstLog + at),
      removed: false,
    })),
  };
}

function findReceipt(node: TronNode, txid: string): object | null {
  const block = node.findTransaction(txid)?.block;
  return block === undefined
    ? null
    : showReceipt(
        block,
        block.transactions,
        block.transactions.findIndex((tx) => tx.txid === txid),
      );
}

function findTransaction(node: TronNode, txid: string): object | null {
  const block = node.findTransaction(txid)?.block;
  const index = block?.transactions.findIndex((tx) => tx.txid === txid) ?? -1;
  return block === undefined ? null : showTransaction(block, block.transactions[index]!, index);
}

function getLogs(
  node: TronNode,
  filter: { blockHash?: string; fromBlock?: string; toBlock?: string },
): unknown[] {
  const from =
    filter.blockHash === undefined
      ? findByTag(node, filter.fromBlock ?? 'latest')
      : node.findBlock(toId(filter.blockHash));
  const to = filter.blockHash === undefined ? findByTag(node, filter.toBlock ?? 'latest') : from;
  if (from === undefined || to === undefined) throw new EvmError(-32602, 'invalid block range');
  const blocks = Array.from(
    { length: Math.max(0, to.number - from.number + 1) },
    (_, index) => node.findBlock(from.number + index)!,
  );
  return blocks.flatMap((block) =>
    block.transactions.flatMap(
      (_, index, all) => (showReceipt(block, all, index) as { logs: unknown[] }).logs,
    ),
  );
}

/** What java-tron shows as value depends on the kind: tokens of TRC-10 and stakes look like TRX. */
function valueOf({ call: { name, value } }: StoredTransaction): number {
  if (name === 'TransferContract' || name === 'TransferAssetContract') return Number(value['amount']);
  return name === 'TriggerSmartContract' ? Number(value['call_value'] ?? 0) : 0;
}

function receiverOf({ call: { value } }: StoredTransaction): string | null {
  const to = value['to_address'] ?? value['contract_address'] ?? value['account_address'];
  return to === undefined ? null : `0x${String(to).slice(2)}`;
}

const accountOf = ({ call: { value } }: StoredTransaction, key: string): string =>
  `0x${String(value[key]).slice(2)}`;
const energyOf = ({ info }: StoredTransaction): number =>
  (info['receipt'] as { energy_usage_total?: number }).energy_usage_total ?? 0;
const logsOf = ({ info }: StoredTransaction): readonly Log[] =>
  (info['log'] as readonly Log[] | undefined) ?? [];
const toId = (hash: unknown): string => String(hash).replace(/^0x/, '').toLowerCase();
const quantity = (value: number): string => `0x${value.toString(16)}`;
const prefixed = (bytes: Uint8Array): string => `0x${Buffer.from(bytes).toString('hex')}`;
const zeros = (count: number): string => `0x${'00'.repeat(count)}`;
