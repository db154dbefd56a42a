// SPDX-License-Identifier: Apache-2.0
import { createHash } from 'node:crypto';
import { keccak_256 } from '@noble/hashes/sha3.js';
import { bytesOf, readFields } from '../../../libs/chain-tron/src/protobuf.ts';
import { decodeCall, encodeRawData } from './contract-schema.ts';
import { RefusedError } from './execute-transaction.ts';
import { readAccount } from './read-account.ts';
import { showVisible } from './show-visible.ts';
import { showBlock, showRawData, showTransaction } from './show-wallet.ts';
import { BadSignatureError, type StoredBlock, type TronNode } from './tron-node.ts';

type Body = Readonly<Record<string, unknown>>;
type Answer = (node: TronNode, body: Body) => object | Promise<object>;

const text = (body: Body, key: string): string => String(body[key] ?? '');
/** Hashes and bytes come in letters of either case, with `0x` or without. */
const digits = (body: Body, key: string): string => toDigits(body[key]);
const toDigits = (value: unknown): string =>
  String(value ?? '')
    .replace(/^0x/i, '')
    .toLowerCase();
const account = (body: Body, key: string): string => readAccount(body[key]);
const isTrue = (value: unknown): boolean => value === true || value === 'true';

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
        : node.findBlock(toDigits(wanted));
  return show(block, isTrue(body['detail']));
}

/** Java-tron's HTTP API, as far as wallets and this project use it. */
const answers: Readonly<Record<string, Answer>> = {
  'wallet/getnowblock': (node) => show(node.head),
  'wallet/getblock': (node, body) => getBlock(node, body, node.head),
  'wallet/getblockbynum': (node, body) => show(node.findBlock(Number(body['num'] ?? 0))),
  'wallet/getblockbyid': (node, body) => show(node.findBlock(digits(body, 'value'))),
  'wallet/getblockbylimitnext': (node, body) => ({
    block: range(node, Number(body['startNum']), Number(body['endNum'])).map((block) => showBlock(block)),
  }),
  'wallet/gettransactionbyid': (node, body) => showFound(node, digits(body, 'value')),
  'wallet/gettransactioninfobyid': (node, body) => findInfo(node, digits(body, 'value')),
  'wallet/gettransactioninfobyblocknum': (node, body) =>
    Number(body['num']) > 0
      ? (node.findBlock(Number(body['num']))?.transactions.map(({ info }) => info) ?? {})
      : {},
  'wallet/getaccount': (node, body) => getAccount(node, account(body, 'address')),
  'wallet/getaccountresource': () => ({
    freeNetLimit: 600,
    TotalNetLimit: 43_200_000_000,
    TotalNetWeight: 1,
    TotalEnergyLimit: 180_000_000_000,
    TotalEnergyWeight: 1,
  }),
  'wallet/getassetissuebyid': (node, body) => showAsset(node, text(body, 'value')),
  'wallet/getcontract': async (node, body) => ({
    contract_address: account(body, 'value'),
    bytecode: (await node.vm.readCode(account(body, 'value'))).slice(2),
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
        owner_address: account(body, 'owner_address'),
        to_address: account(body, 'to_address'),
        amount: body['amount'],
      },
    }),
  'wallet/triggerconstantcontract': callConstant,
  'wallet/triggersmartcontract': (node, body) => {
    const value = {
      owner_address: account(body, 'owner_address'),
      contract_address: account(body, 'contract_address'),
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
    broadcast(node, readBytes(body, 'raw_data_hex'), readSignatures(body['signature'])),
  'wallet/broadcasthex': (node, body) => {
    const fields = readFields(readBytes(body, 'transaction'));
    const signatures = (fields.get(2) ?? []).map((one) => Buffer.from(one as Buffer).toString('hex'));
    return broadcast(node, bytesOf(fields, 1), signatures);
  },
  'walletsolidity/getnowblock': (node) => show(node.solidified),
  'walletsolidity/getblock': (node, body) => getBlock(node, body, node.solidified),
  'walletsolidity/getaccount': (node, body) => getAccount(node, account(body, 'address')),
  'walletsolidity/gettransactionbyid': (node, body) =>
    isSolidified(node, digits(body, 'value')) ? showFound(node, digits(body, 'value')) : {},
  'walletsolidity/gettransactioninfobyid': (node, body) =>
    isSolidified(node, digits(body, 'value')) ? findInfo(node, digits(body, 'value')) : {},
};

/** Undefined for a path that the node does not serve. */
export async function answerWallet(node: TronNode, method: string, body: Body): Promise<object | undefined> {
  // A member of every object, such as `constructor`, is no path.
  const answer = Object.hasOwn(answers, method) ? answers[method] : undefined;
  if (answer === undefined) return undefined;
  try {
    const answered = await answer(node, body);
    return isTrue(body['visible']) ? (showVisible(answered) as object) : answered;
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

/** @throws Error where the member is missing or no bytes */
function readBytes(body: Body, key: string): Buffer {
  const hex = digits(body, key);
  if (hex === '' || !/^(?:[0-9a-f]{2})*$/.test(hex))
    throw new Error(
      `${key}: expected hexadecimal digits, got ${JSON.stringify(body[key])?.slice(0, 60) ?? 'none'}`,
    );
  return Buffer.from(hex, 'hex');
}

function readSignatures(value: unknown): string[] {
  return (Array.isArray(value) ? value : value === undefined ? [] : [value]).map(toDigits);
}

function broadcast(node: TronNode, rawData: Buffer, signatures: readonly string[]): object {
  const txid = createHash('sha256').update(rawData).digest('hex');
  try {
    node.broadcast(rawData, signatures);
    return { result: true, txid };
  } catch (error) {
    if (!(error instanceof RefusedError)) throw error;
    const message =
      error instanceof BadSignatureError ? error.message : `Contract validate error : ${error.message}`;
    return {
      code: error instanceof BadSignatureError ? 'SIGERROR' : 'CONTRACT_VALIDATE_ERROR',
      txid,
      message: Buffer.from(message).toString('hex'),
    };
  }
}

const NOBODY = `41${'0'.repeat(40)}`;

async function callConstant(node: TronNode, body: Body): Promise<object> {
  const contract = account(body, 'contract_address');
  const from = body['owner_address'] === undefined ? NOBODY : account(body, 'owner_address');
  if ((await node.vm.readCode(contract)) === '0x') {
    return {
      result: {
        code: 'CONTRACT_VALIDATE_ERROR',
        message: Buffer.from('Smart contract is not exist.').toString('hex'),
      },
    };
  }
  const result = await node.vm.view(contract, { data: toCallData(body), from });
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
  if (body['data'] !== undefined) return digits(body, 'data');
  return selectorOf(text(body, 'function_selector')) + digits(body, 'parameter');
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
