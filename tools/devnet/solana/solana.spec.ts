// SPDX-License-Identifier: Apache-2.0
import {
  Keypair,
  LAMPORTS_PER_SOL,
  MessageV1,
  sendAndConfirmTransaction,
  SystemProgram,
  Transaction,
  TransactionInstruction,
  VersionedTransaction,
} from '@solana/web3.js';
import { waitFor } from '@chainwatch/testing';
import { startSolana, type SolanaHandle } from './start-solana.ts';
import { compileV1, LOCAL_LIMITS, MEMO_PROGRAM, signV1, type SolanaRpcError } from './index.ts';

let node: SolanaHandle;
const alice = Keypair.generate();
const bob = Keypair.generate();

beforeAll(async () => {
  node = await startSolana({ intervalMs: 200 });
});
afterAll(() => node.stop());

const pay = (lamports: number): Transaction =>
  new Transaction().add(
    SystemProgram.transfer({ fromPubkey: alice.publicKey, toPubkey: bob.publicKey, lamports }),
  );

describe('the local Solana node, through the client library unchanged', () => {
  it('gives coins, takes a transaction and confirms it over the WebSocket', async () => {
    const { connection } = node;
    const airdrop = await connection.requestAirdrop(alice.publicKey, 5 * LAMPORTS_PER_SOL);
    await waitFor(
      async () => (await connection.getSignatureStatus(airdrop)).value?.confirmationStatus === 'confirmed',
      { message: 'the airdrop' },
    );
    const signature = await sendAndConfirmTransaction(connection, pay(LAMPORTS_PER_SOL), [alice]);
    expect(await connection.getBalance(bob.publicKey)).toBe(LAMPORTS_PER_SOL);
    expect(
      (
        await connection.getSignatureStatuses([
          signature,
          airdrop.replace(/.$/, (last) => (last === '1' ? '2' : '1')),
        ])
      ).value,
    ).toMatchObject([{ err: null }, null]);
    expect((await connection.getSignaturesForAddress(bob.publicKey)).map((entry) => entry.signature)).toEqual(
      [signature],
    );

    const transaction = await connection.getTransaction(signature, { maxSupportedTransactionVersion: 0 });
    expect(transaction!.meta).toMatchObject({
      err: null,
      fee: 5_000,
      preBalances: [5 * LAMPORTS_PER_SOL, 0, 1],
      postBalances: [4 * LAMPORTS_PER_SOL - 5_000, LAMPORTS_PER_SOL, 1],
    });
    const block = await connection.getBlock(transaction!.slot, {
      maxSupportedTransactionVersion: 0,
      rewards: true,
    });
    expect(block!.transactions.map((entry) => entry.transaction.signatures[0])).toContain(signature);
    expect(block!.rewards).toMatchObject([{ lamports: 2_500, rewardType: 'Fee' }]);
    expect(
      (await connection.getParsedTransaction(signature, {
        maxSupportedTransactionVersion: 0,
      }))!.transaction.message.accountKeys.map(({ signer }) => signer),
    ).toEqual([true, false, false]);
  });

  it('refuses before sending what would fail, and what was signed on an unknown block', async () => {
    await expect(
      sendAndConfirmTransaction(node.connection, pay(900 * LAMPORTS_PER_SOL), [alice]),
    ).rejects.toThrow(/Simulation failed/i);
    const stale = pay(1);
    stale.recentBlockhash = Keypair.generate().publicKey.toBase58();
    stale.sign(alice);
    await expect(node.connection.sendRawTransaction(stale.serialize())).rejects.toThrow(
      /Blockhash not found/,
    );
  });

  it('tells skipped slots, slots to come and what is unknown by the codes of a real node', async () => {
    await node.setInterval(0);
    const { slot } = await node.produce();
    await node.skip(2);
    const next = await node.produce();
    expect(next.slot).toBe(slot + 3);
    const codeOf = (number: number) =>
      node.call('getBlock', [number, { commitment: 'confirmed' }]).then(
        () => 0,
        (error: SolanaRpcError) => error.code,
      );
    expect([await codeOf(slot + 1), await codeOf(next.slot + 1), await codeOf(next.slot)]).toEqual([
      -32007, -32004, 0,
    ]);
    expect(await node.call('getBlocks', [slot, next.slot + 9, { commitment: 'confirmed' }])).toEqual([
      slot,
      next.slot,
    ]);
    await expect(node.call('getNothing')).rejects.toMatchObject({ code: -32601 });
  });

  it('forks above finality: what the dropped blocks did is undone, and may come again', async () => {
    const before = await node.connection.getBalance(bob.publicKey);
    await node.send(pay(1_000).instructions, { payer: alice });
    const { slot } = await node.produce();
    expect(await node.connection.getBalance(bob.publicKey)).toBe(before + 1_000);
    const dropped = await node.fork(1);
    expect([dropped.length, await node.connection.getBalance(bob.publicKey)]).toEqual([1, before]);
    await node.resend(dropped[0]!);
    expect((await node.produce()).slot).toBe(slot + 1);
    expect(await node.connection.getBalance(bob.publicKey)).toBe(before + 1_000);
    await node.produce(40);
    expect(await node.fork(1_000)).toEqual([]);
    expect(await node.connection.getSlot('finalized')).toBe(await node.connection.getSlot('confirmed'));
  });

  describe('transactions of version 1', () => {
    const config = { ...LOCAL_LIMITS, priorityFee: 1_234n };
    const memo = new TransactionInstruction({
      programId: MEMO_PROGRAM,
      keys: [],
      data: Buffer.from('order 7'),
    });
    const told = {
      computeUnitLimit: 200_000,
      heapSize: null,
      loadedAccountsDataSizeLimit: 67_108_864,
      priorityFee: 1_234,
    };
    let signature: string;
    let slot: number;
    beforeAll(async () => {
      await node.setInterval(0);
      signature = await node.send([...pay(77).instructions, memo], { payer: alice, version: 1, config });
      ({ slot } = await node.produce());
    });
    const read = <T>(method: string, params: readonly unknown[], options: object): Promise<T> =>
      node.call<T>(method, [
        ...params,
        { commitment: 'confirmed', maxSupportedTransactionVersion: 1, ...options },
      ]);

    it('are executed, paid for, and read by the client library', async () => {
      const { connection } = node;
      const got = await connection.getTransaction(signature, {
        maxSupportedTransactionVersion: 1,
        commitment: 'confirmed',
      });
      expect(got).toMatchObject({ version: 1, slot, meta: { err: null, fee: 6_234 } });
      expect(got!.transaction.message).toBeInstanceOf(MessageV1);
      expect((got!.transaction.message as MessageV1).transactionConfig).toEqual(told);
      expect(got!.meta!.postBalances[1]! - got!.meta!.preBalances[1]!).toBe(77);
      expect(got!.meta!.logMessages!.join()).toContain('order 7');
      const block = await connection.getBlock(slot, {
        maxSupportedTransactionVersion: 1,
        commitment: 'confirmed',
        rewards: true,
      });
      expect(block!.rewards).toMatchObject([{ lamports: 2_500 + 1_234, rewardType: 'Fee' }]);
      expect((await connection.getSignatureStatus(signature)).value).toMatchObject({ slot, err: null });
      expect((await connection.getSignaturesForAddress(bob.publicKey, { limit: 1 }))[0]).toMatchObject({
        signature,
      });
    });

    it('are told in every encoding', async () => {
      interface Told {
        readonly version: number;
        readonly transaction: {
          readonly signatures: readonly string[];
          readonly message: object;
          readonly accountKeys: readonly {
            pubkey: string;
            signer: boolean;
            writable: boolean;
            source: string;
          }[];
        };
      }
      const json = await read<Told>('getTransaction', [signature], { encoding: 'json' });
      expect(json).toMatchObject({
        version: 1,
        transaction: {
          signatures: [signature],
          message: {
            header: {
              numRequiredSignatures: 1,
              numReadonlySignedAccounts: 0,
              numReadonlyUnsignedAccounts: 2,
            },
            transactionConfig: told,
          },
        },
        meta: { loadedAddresses: { writable: [], readonly: [] } },
      });
      expect(json.transaction.message).not.toHaveProperty('addressTableLookups');
      const parsed = await read<Told>('getTransaction', [signature], { encoding: 'jsonParsed' });
      expect(parsed).toMatchObject({ version: 1, transaction: { message: { transactionConfig: told } } });
      for (const encoding of ['base64', 'base58']) {
        const { transaction } = await read<{ transaction: [string, string] }>('getTransaction', [signature], {
          encoding,
        });
        expect(transaction[1]).toBe(encoding);
      }
      const { transactions } = await read<{ transactions: Told[] }>('getBlock', [slot], {
        transactionDetails: 'accounts',
      });
      expect(transactions).toMatchObject([{ version: 1, transaction: { signatures: [signature] } }]);
      expect(
        transactions[0]!.transaction.accountKeys.map(({ signer, writable, source }) => [
          signer,
          writable,
          source,
        ]),
      ).toEqual([
        [true, true, 'transaction'],
        [false, true, 'transaction'],
        [false, false, 'transaction'],
        [false, false, 'transaction'],
      ]);
      expect(await read('getBlock', [slot], { transactionDetails: 'signatures' })).toMatchObject({
        signatures: [signature],
      });
    });

    it.each([undefined, 0])(
      'are refused where the caller takes versions up to %s, by the version that it needs',
      async (most) => {
        const text =
          'Transaction version (1) is not supported by the requesting client. Please try the request again with the following configuration parameter: "maxSupportedTransactionVersion": 1';
        const options = { maxSupportedTransactionVersion: most };
        for (const [method, first] of [
          ['getBlock', slot],
          ['getTransaction', signature],
        ] as const)
          await expect(read(method, [first], options)).rejects.toMatchObject({
            code: -32015,
            message: expect.stringContaining(text) as string,
          });
        expect(await read('getBlock', [slot], { ...options, transactionDetails: 'none' })).toMatchObject({
          blockhash: expect.any(String) as string,
        });
      },
    );

    it('are simulated, need their limits, and fail for their fee alone', async () => {
      const { value } = await node.call<{ value: { blockhash: string } }>('getLatestBlockhash', [
        { commitment: 'confirmed' },
      ]);
      const sign = (of: object): Uint8Array =>
        signV1(
          compileV1({
            payer: alice.publicKey,
            recentBlockhash: value.blockhash,
            instructions: pay(3).instructions,
            config: of,
          }),
          [alice],
        );
      const simulate = (bytes: Uint8Array): Promise<unknown> =>
        node.call('simulateTransaction', [Buffer.from(bytes).toString('base64'), { encoding: 'base64' }]);
      expect(await simulate(sign(config))).toMatchObject({ value: { err: null } });
      // Without limits the runtime grants nothing.
      expect(await simulate(sign({}))).not.toMatchObject({ value: { err: null } });
      const { message } = VersionedTransaction.deserialize(sign(config));
      expect(message.recentBlockhash).toBe(value.blockhash);
      const asked = Buffer.from(sign(config).subarray(0, -64)).toString('base64');
      expect(await node.call('getFeeForMessage', [asked])).toMatchObject({ value: 6_234 });
      const failed = await node.send(pay(900 * LAMPORTS_PER_SOL).instructions, {
        payer: alice,
        version: 1,
        config,
        skipPreflight: true,
      });
      await node.produce();
      expect(await read('getTransaction', [failed], {})).toMatchObject({
        meta: { fee: 6_234, err: { InstructionError: [0, { Custom: 1 }] } },
      });
    });

    it('are undone by a fork, and come again', async () => {
      const before = await node.connection.getBalance(bob.publicKey);
      const again = await node.send(pay(5).instructions, { payer: alice, version: 1, config });
      await node.produce();
      const [bytes] = await node.fork(1);
      expect(await node.connection.getBalance(bob.publicKey)).toBe(before);
      await node.resend(bytes!);
      await node.produce();
      expect(await node.connection.getBalance(bob.publicKey)).toBe(before + 5);
      expect(await read('getTransaction', [again], {})).toMatchObject({ version: 1 });
    });

    it.each(['legacy', 0, 1] as const)('the faucet pays by version %s', async (version) => {
      const given = await node.call<string>('requestAirdrop', [bob.publicKey.toBase58(), 9, { version }]);
      await node.produce();
      expect(await read('getTransaction', [given], {})).toMatchObject({ version, meta: { err: null } });
      await expect(
        node.call('requestAirdrop', [bob.publicKey.toBase58(), 9, { version: 2 }]),
      ).rejects.toMatchObject({ code: -32602 });
    });
  });
});
