import { createHash } from 'node:crypto';
import { keccak_256 } from '@noble/hashes/sha3.js';
import { decodeCall, encodeRawData } from './contract-schema.ts';
import { RefusedError } from './execute-transaction.ts';
import { showBlock, showRawData, showTransaction } from './show-wallet.ts';
import type { StoredBlock, TronNode } from './tron-node.ts';

type Body = Readonly<Record<string, unknown>>;
type Answer = (node: TronNode, body: Body) => object | Promise<object>;

const text = (body: Body, key: string): string => String(body[key] ?? '');

/** `{}` is how the wallet API says that there is none. */
const show = (block: StoredBlock | undefined, hasTransactions = true): object =>
  block === undefined ? {} : showBlock(block, hasTransactions);

function getBlock(node: TronNode, body: Body, latest: StoredBlock): object {
  const wanted = text(body, 'id_or_num');
  const block =
    wanted === ''
      ? latest
      : /^\d{1,15}$/.test(wanted)
        ? node.findBlock(Number(wanted))
        : node.findBlock(wanted);
  return show(block, body['detail'] === true || body['detail'] === 'true');
}

/** Java-tron's HTTP API, as far as wallets and this project use it. */
const answers: Readonly<Record<string, Answer>> = {
  'wallet/getnowblock': (node) => show(node.head),
  'wallet/getblock': (node, body) => getBlock(node, body, node.head),
  'wallet/getblockbynum': (node, body) => show(node.findBlock(Number(body['num'] ?? 0))),
  'wallet/getblockbyid': (node, body) => show(node.findBlock(text(body, 'value'))),
  'wallet/getblockbylimitnext': (node, body) => ({
    block: range(node, Number(body['startNum']), Number(body['endNum'])).map((block) => showBlock(block)),
  }),
  'wallet/gettransactionbyid': (node, body) => showFound(node, text(body, 'value')),
  'wallet/gettransactioninfobyid': (node, body) => findInfo(node, text(body, 'value')),
  'wallet/gettransactioninfobyblocknum': (node, body) =>
    Number(body['num']) > 0
      ? (node.findBlock(Number(body['num']))?.transactions.map(({ info }) => info) ?? {})
      : {},
  'wallet/getaccount': (node, body) => getAccount(node, text(body, 'address')),
  'wallet/getaccountresource': () => ({
    freeNetLimit: 600,
    TotalNetLimit: 43_200_000_000,
    TotalNetWeight: 1,
    TotalEnergyLimit: 180_000_000_000,
    TotalEnergyWeight: 1,
  }),
  'wallet/getassetissuebyid': (node, body) => showAsset(node, text(body, 'value')),
  'wallet/getcontract': async (node, body) => ({
    contract_address: text(body, 'value'),
    bytecode: (await node.vm.readCode(text(body, 'value'))).slice(2),
    abi: {},
  }),
  'wallet/getnodeinfo': (node) => ({
    block: describe(node.head),
    solidityBlock: describe(node.solidified),
    configNodeInfo: { codeVersion: '4.8.1' },
  }),
  'wallet/getchainparameters': () => ({
    chainParameter: [
      { key: 'getEnergyFee', value: 100 },
      { key: 'getTransactionFee', value: 1_000 },
      { key: 'getCreateNewAccountFeeInSystemContract', value: 1_000_000 },
    ],
  }),
  'wallet/createtransaction': (node, body) =>
    create(node, {
      name: 'TransferContract',
      value: {
        owner_address: body['owner_address'],
        to_address: body['to_address'],
        amount: body['amount'],
      },
    }),
  'wallet/triggerconstantcontract': callConstant,
  'wallet/triggersmartcontract': (node, body) => {
    const value = {
      owner_address: body['owner_address'],
      contract_address: body['contract_address'],
      data: toCallData(body),
      ...(Number(body['call_value'] ?? 0) > 0 && { call_value: body['call_value'] }),
    };
    return {
      result: { result: true },
      transaction: create(node, {
        name: 'TriggerSmartContract',
        value,
        feeLimit: BigInt(Number(body['fee_limit'] ?? 0)),
      }),
    };
  },
  'wallet/broadcasttransaction': (node, body) =>
    broadcast(node, text(body, 'raw_data_hex'), (body['signature'] as string[] | undefined) ?? []),
  'walletsolidity/getnowblock': (node) => show(node.solidified),
  'walletsolidity/getblock': (node, body) => getBlock(node, body, node.solidified),
  'walletsolidity/getaccount': (node, body) => getAccount(node, text(body, 'address')),
  'walletsolidity/gettransactionbyid': (node, body) =>
    isSolidified(node, text(body, 'value')) ? showFound(node, text(body, 'value')) : {},
  'walletsolidity/gettransactioninfobyid': (node, body) =>
    isSolidified(node, text(body, 'value')) ? findInfo(node, text(body, 'value')) : {},
};

/** Undefined for a path that the node does not serve. */
export async function answerWallet(node: TronNode, method: string, body: Body): Promise<object | undefined> {
  const answer = answers[method];
  if (answer === undefined) return undefined;
  try {
    return await answer(node, body);
  } catch (error) {
    // Under HTTP 200, as java-tron does it.
    return { Error: `class java.lang.Exception : ${(error as Error).message}` };
  }
}

function create(
  node: TronNode,
  {
    name,
    value,
    feeLimit,
  }: { readonly name: string; readonly value: Record<string, unknown>; readonly feeLimit?: bigint },
): object {
  const rawData = encodeRawData(name, value, {
    refBlock: { number: node.head.number, hash: node.head.id },
    timestampMs: node.head.timestampMs,
    ...(feeLimit && { feeLimit }),
  });
  return {
    visible: false,
    txID: createHash('sha256').update(rawData).digest('hex'),
    ...showRawData(rawData, decodeCall(rawData)),
  };
}

function broadcast(node: TronNode, rawDataHex: string, signatures: readonly string[]): object {
  const rawData = Buffer.from(rawDataHex, 'hex');
  const txid = createHash('sha256').update(rawData).digest('hex');
  try {
    node.broadcast(rawData, signatures);
    return { result: true, txid };
  } catch (error) {
    if (!(error instanceof RefusedError)) throw error;
    return {
      code: 'CONTRACT_VALIDATE_ERROR',
      txid,
      message: Buffer.from(`Contract validate error : ${error.message}`).toString('hex'),
    };
  }
}

async function callConstant(node: TronNode, body: Body): Promise<object> {
  const contract = text(body, 'contract_address');
  if ((await node.vm.readCode(contract)) === '0x') {
    return {
      result: {
        code: 'CONTRACT_VALIDATE_ERROR',
        message: Buffer.from('Smart contract is not exist.').toString('hex'),
      },
    };
  }
  const result = await node.vm.view(contract, { data: toCallData(body), from: text(body, 'owner_address') });
  if ('error' in result)
    return {
      result: { result: true, message: Buffer.from('REVERT opcode executed').toString('hex') },
      energy_used: 500,
      constant_result: [''],
      transaction: { ret: [{ ret: 'FAILED' }] },
    };
  return {
    result: { result: true },
    energy_used: 500,
    constant_result: [result.output.slice(2)],
    transaction: { ret: [{}] },
  };
}

/** The data itself, or the name of a function and its encoded parameters. */
function toCallData(body: Body): string {
  if (body['data'] !== undefined) return text(body, 'data');
  return selectorOf(text(body, 'function_selector')) + text(body, 'parameter');
}

async function getAccount(node: TronNode, address: string): Promise<object> {
  const balance = await node.vm.readBalance(address);
  const tokens = node.ledger.listTokens(address);
  if (!node.ledger.hasAccount(address) && balance === 0n && tokens.length === 0) return {};
  return {
    address,
    ...(balance > 0n && { balance: Number(balance) }),
    ...(tokens.length > 0 && {
      assetV2: tokens.map(({ id, amount }) => ({ key: id, value: Number(amount) })),
    }),
  };
}

function showAsset(node: TronNode, id: string): object {
  const asset = node.ledger.findAsset(id);
  return asset === undefined ? {} : { ...asset.value, id };
}

const showFound = (node: TronNode, txid: string): object => {
  const found = node.findTransaction(txid);
  return found === undefined ? {} : showTransaction(found.transaction);
};

const findInfo = (node: TronNode, txid: string): object => {
  const found = node.findTransaction(txid)?.transaction;
  return found !== undefined && 'info' in found ? found.info : {};
};

const isSolidified = (node: TronNode, txid: string): boolean =>
  (node.findTransaction(txid)?.block?.number ?? Infinity) <= node.solidified.number;
const describe = ({ number, id }: StoredBlock): string => `Num:${number},ID:${id}`;

function range(node: TronNode, from: number, to: number): StoredBlock[] {
  const count = Math.min(Math.max(to - from, 0), 100);
  return Array.from({ length: count }, (_, index) => node.findBlock(from + index)).filter(
    (block) => block !== undefined,
  );
}

function selectorOf(signature: string): string {
  return signature === ''
    ? ''
    : Buffer.from(keccak_256(Buffer.from(signature)).subarray(0, 4)).toString('hex');
}
