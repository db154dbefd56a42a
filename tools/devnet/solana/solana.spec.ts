import {
  Keypair,
  LAMPORTS_PER_SOL,
  sendAndConfirmTransaction,
  SystemProgram,
  Transaction,
} from '@solana/web3.js';
import { waitFor } from '@chainwatch/testing';
import { startSolana, type SolanaHandle } from './start-solana.ts';
import type { SolanaRpcError } from './index.ts';

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
});
