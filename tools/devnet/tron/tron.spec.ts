// SPDX-License-Identifier: Apache-2.0
import { createHash } from 'node:crypto';
import { TronWeb } from 'tronweb';
import { encodeHeader } from '../../../libs/chain-tron/src/encode-header.ts';
import { recoverSigner } from './tron-account.ts';
import { startTron, type TronHandle } from './start-tron.ts';
import { contracts } from '../evm/contracts.ts';

let tron: TronHandle;
let tronWeb: TronWeb;
let me: string;
let other: string;

const from = (index: number) => tron.node.accounts[index]!;

beforeAll(async () => {
  tron = await startTron({ solidifiedLag: 2 });
  tronWeb = new TronWeb({ fullHost: tron.url, privateKey: from(0).privateKey });
  me = from(0).address;
  other = from(1).address;
});

afterAll(() => tron.stop());

/** Waits for nothing: the node makes its block when it is told. */
async function send(transaction: object): Promise<string> {
  const signed = await tronWeb.trx.sign(transaction as Parameters<typeof tronWeb.trx.sign>[0]);
  const answer = (await tronWeb.trx.sendRawTransaction(
    signed as Parameters<typeof tronWeb.trx.sendRawTransaction>[0],
  )) as { result?: boolean; txid: string; message?: string };
  if (answer.result !== true) throw new Error(Buffer.from(answer.message ?? '', 'hex').toString());
  await tron.node.mine();
  return answer.txid;
}

const infoOf = (txid: string) =>
  tronWeb.trx.getUnconfirmedTransactionInfo(txid) as Promise<{
    fee?: number;
    result?: string;
    assetIssueID?: string;
    receipt: { result?: string };
    log?: unknown[];
    internal_transactions?: { rejected?: boolean }[];
  }>;

async function deploy(name: 'TestToken' | 'Forwarder'): Promise<string> {
  const { abi, bytecode } = contracts[name];
  const transaction = await tronWeb.transactionBuilder.createSmartContract(
    { abi: abi as never, bytecode: bytecode.slice(2), feeLimit: 1_000_000_000 },
    me,
  );
  await send(transaction);
  return transaction.contract_address;
}

it('is the chain that its genesis block says, and moves TRX', async () => {
  const genesis = (await tronWeb.trx.getBlockByNumber(0)) as { blockID: string };
  expect(genesis.blockID.slice(-8)).toBe('00007a69');
  const before = await tronWeb.trx.getBalance(other);
  const txid = await send(await tronWeb.transactionBuilder.sendTrx(other, 1_500_000, me));
  expect(await tronWeb.trx.getBalance(other)).toBe(before + 1_500_000);
  expect(await tronWeb.trx.getTransaction(txid)).toMatchObject({
    txID: txid,
    ret: [{ contractRet: 'SUCCESS' }],
  });
  const fresh = tronWeb.utils.accounts.generateAccount().address.base58;
  const opening = await infoOf(await send(await tronWeb.transactionBuilder.sendTrx(fresh, 1, me)));
  expect(opening.fee).toBe(1_100_000);
});

it('has blocks whose headers their producers signed', async () => {
  await tron.node.mine();
  const { header, witnessSignature } = tron.node.head;
  const digest = createHash('sha256').update(encodeHeader(header)).digest('hex');
  expect(recoverSigner(digest, witnessSignature)).toBe(Buffer.from(header.witnessAddress).toString('hex'));
});

it('runs contracts at the addresses that TRON gives them, and burns the fee of failed calls', async () => {
  const token = await deploy('TestToken');
  const call = async (method: string, parameters: object[], feeLimit = 100_000_000) =>
    infoOf(
      await send(
        (
          await tronWeb.transactionBuilder.triggerSmartContract(
            token,
            method,
            { feeLimit },
            parameters as never,
            me,
          )
        ).transaction,
      ),
    );
  const minted = await call('mint(address,uint256)', [
    { type: 'address', value: me },
    { type: 'uint256', value: 1_000 },
  ]);
  expect(minted).toMatchObject({ receipt: { result: 'SUCCESS' }, log: [{ topics: expect.any(Array) }] });
  const contract = tronWeb.contract(contracts.TestToken.abi as never, token) as unknown as Record<
    string,
    (...args: unknown[]) => { call(): Promise<unknown> }
  >;
  expect(BigInt(String(await contract['balanceOf']!(me).call()))).toBe(1_000n);
  expect(await contract['symbol']!().call()).toBe('TEST');
  const balance = await tronWeb.trx.getBalance(me);
  const reverted = await call('transfer(address,uint256)', [
    { type: 'address', value: other },
    { type: 'uint256', value: 5_000 },
  ]);
  expect(reverted).toMatchObject({ result: 'FAILED', receipt: { result: 'REVERT' } });
  expect(reverted.log).toBeUndefined();
  expect(await tronWeb.trx.getBalance(me)).toBe(balance - reverted.fee!);
  const starved = await call(
    'mint(address,uint256)',
    [
      { type: 'address', value: me },
      { type: 'uint256', value: 1 },
    ],
    100_000,
  );
  expect(starved).toMatchObject({ result: 'FAILED', receipt: { result: 'OUT_OF_ENERGY' } });
  expect(starved.fee).toBeGreaterThanOrEqual(100_000);
});

it('records internal transactions, rejected ones as such', async () => {
  const forwarder = await deploy('Forwarder');
  const call = async (method: string) => {
    const options = { feeLimit: 100_000_000, callValue: 77 };
    const { transaction } = await tronWeb.transactionBuilder.triggerSmartContract(
      forwarder,
      method,
      options,
      [{ type: 'address', value: other }],
      me,
    );
    return (await infoOf(await send(transaction))).internal_transactions;
  };
  expect(await call('forward(address)')).toMatchObject([
    { callValueInfo: [{ callValue: 77 }], note: '63616c6c' },
  ]);
  const undone = await call('forwardAndRevert(address)');
  expect(undone?.filter(({ rejected }) => rejected === true).length).toBeGreaterThan(0);
});

it('issues and moves TRC-10', async () => {
  const asset = {
    name: 'Pennies',
    abbreviation: 'PNY',
    description: 'for specs',
    url: 'https://example.com',
    totalSupply: 1_000,
    precision: 2,
    trxRatio: 1,
    tokenRatio: 1,
    saleStart: Date.now() + 86_400_000,
    saleEnd: Date.now() + 2 * 86_400_000,
    freeBandwidth: 0,
    freeBandwidthLimit: 0,
    frozenAmount: 0,
    frozenDuration: 0,
  };
  const { assetIssueID: id } = await infoOf(
    await send(await tronWeb.transactionBuilder.createToken(asset as never, me)),
  );
  expect(id).toBe('1000001');
  expect(await tronWeb.trx.getTokenByID(id!)).toMatchObject({
    id,
    name: 'Pennies',
    abbr: 'PNY',
    precision: 2,
  });
  await send(await tronWeb.transactionBuilder.sendToken(other, 30, id!, me));
  expect((await tronWeb.trx.getUnconfirmedAccount(other)).assetV2).toEqual([{ key: id, value: 30 }]);
});

it('freezes and delegates without moving anything to anybody', async () => {
  const before = await tronWeb.trx.getBalance(other);
  await send(await tronWeb.transactionBuilder.freezeBalanceV2(2_000_000, 'ENERGY', me));
  await send(await tronWeb.transactionBuilder.delegateResource(1_000_000, other, 'ENERGY', me));
  expect(await tronWeb.trx.getBalance(other)).toBe(before);
});

it('tells what is solidified, and takes blocks back', async () => {
  await tron.node.mine(2);
  const head = (await tronWeb.trx.getCurrentBlock()) as {
    blockID: string;
    block_header: { raw_data: { number: number } };
  };
  const solid = (await tronWeb.trx.getConfirmedCurrentBlock()) as typeof head;
  expect(head.block_header.raw_data.number - solid.block_header.raw_data.number).toBe(2);
  const before = await tronWeb.trx.getBalance(other);
  const kept = await send(await tronWeb.transactionBuilder.sendTrx(other, 1_000, me));
  const dropped = await send(await tronWeb.transactionBuilder.sendTrx(other, 2_000, me));
  const orphan = tron.node.head.id;
  await tron.node.reorg(2, (txid) => txid === kept);
  await tron.node.mine(3);
  expect(await tronWeb.trx.getBalance(other)).toBe(before + 1_000);
  expect(await infoOf(kept)).toMatchObject({ blockNumber: head.block_header.raw_data.number + 1 });
  expect(Object.keys(await infoOf(dropped))).toEqual([]);
  expect(tron.node.findBlock(orphan)).toBeUndefined();
});
