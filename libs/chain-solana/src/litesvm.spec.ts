// SPDX-License-Identifier: Apache-2.0
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  AddressLookupTableProgram,
  Keypair,
  SystemProgram,
  TransactionInstruction,
  type PublicKey,
} from '@solana/web3.js';
import type { Block, BlockRef, Transaction } from '@chainwatch/chain-core';
import { startSolana, type SolanaHandle } from '@chainwatch/tool-devnet/start-solana';
import * as token from '@chainwatch/tool-devnet/solana';
import { decodeTransaction } from './decode-block.ts';
import { solanaNetworks } from './networks.ts';
import type { RawBlock } from './raw-block.ts';
import { SolanaClient } from './solana-client.ts';
import { verifyBlock } from './verify-block.ts';

const SOL = 1_000_000_000n;
const network = solanaNetworks.find(({ name }) => name === 'solana-local')!;
const native = network.native!.gid;
const gidOf = (mint: PublicKey): string => `${network.gid}/token:${mint.toBase58()}`;

let node: SolanaHandle;
let client: SolanaClient;
const payer = Keypair.generate();
const [alice, bob] = [Keypair.generate(), Keypair.generate()];

beforeAll(async () => {
  node = await startSolana();
  client = new SolanaClient({ network, endpointUrl: node.url });
  for (const { publicKey } of [payer, alice, bob]) await node.airdrop(publicKey, 100n * SOL);
  await node.produce();
});
afterAll(async () => {
  client.close();
  await node.stop();
});

/** The block that `instructions` made, and their transaction in it. */
async function run(
  instructions: readonly TransactionInstruction[],
  options: Partial<token.SendOptions> = {},
): Promise<{ readonly block: Block; readonly tx: Transaction }> {
  const hash = await node.send(instructions, { payer, ...options });
  const block = await readHeadBlock(await node.produce());
  return { block, tx: block.transactions.find((one) => one.hash === hash)! };
}

const readHeadBlock = ({ slot, blockhash }: { slot: number; blockhash: string }): Promise<Block> =>
  client.readBlock({ number: slot, hash: blockhash });
const pay = (to: PublicKey, lamports: bigint, from = payer.publicKey): TransactionInstruction =>
  SystemProgram.transfer({ fromPubkey: from, toPubkey: to, lamports });
const linesOf = ({ transfers }: Transaction): string[] =>
  transfers.map(({ from, to, amountRaw, assetGid }) => `${from} ${to} ${amountRaw} ${assetGid}`);
const balanceOf = async (at: BlockRef, address: PublicKey, assetGid: string): Promise<bigint | undefined> =>
  (await client.readBalances(at, [{ address: address.toBase58(), assetGid }]))[0];

interface Mint {
  readonly mint: PublicKey;
  readonly program: PublicKey;
  readonly accountOf: (owner: PublicKey) => PublicKey;
}

async function createMint(
  program: PublicKey,
  bytes: number,
  extensions: (mint: PublicKey) => TransactionInstruction[] = () => [],
  after: (mint: PublicKey) => TransactionInstruction[] = () => [],
): Promise<Mint> {
  const key = Keypair.generate();
  const mint = key.publicKey;
  const create = SystemProgram.createAccount({
    fromPubkey: payer.publicKey,
    newAccountPubkey: mint,
    lamports: Number(SOL / 10n),
    space: bytes,
    programId: program,
  });
  await run(
    [
      create,
      ...extensions(mint),
      token.initializeMint(mint, { decimals: 6, authority: payer.publicKey, program }),
      ...after(mint),
    ],
    { signers: [key] },
  );
  return { mint, program, accountOf: (owner) => token.associatedAccount(owner, mint, program) };
}

const give = (
  { mint, program, accountOf }: Mint,
  owner: PublicKey,
  amount: bigint,
): TransactionInstruction[] => [
  token.createAssociatedAccount(payer.publicKey, { owner, mint, program }),
  token.mintTo(mint, { account: accountOf(owner), authority: payer.publicKey, amount, program }),
];

describe('SolanaClient on a real runtime', () => {
  it('knows a cluster of its own, and no other one', async () => {
    await client.verifyChain();
    const other = new SolanaClient({
      network: solanaNetworks.find(({ name }) => name === 'solana')!,
      endpointUrl: node.url,
    });
    await expect(other.verifyChain()).rejects.toMatchObject({ code: 'wrong_chain' });
    other.close();
  });

  it('follows heads over skipped slots, tells these from a node that is behind, and finality', async () => {
    const before = await client.readHead();
    await node.skip(3);
    const { slot, blockhash } = await node.produce();
    expect(await client.readHead()).toMatchObject({
      number: slot,
      hash: blockhash,
      parentHash: before.hash,
      parentNumber: before.number,
    });
    expect(slot).toBe(before.number + 4);
    expect((await client.readHeaders(before.number, slot + 5)).map(({ number }) => number)).toEqual([
      before.number,
      slot,
    ]);
    expect(await client.findHeaderByNumber(before.number + 1)).toBeUndefined();
    expect(await client.findHeaderByHash(before.hash)).toEqual(before);
    await expect(client.readBlock({ number: before.number + 1, hash: before.hash })).rejects.toThrow(
      /no block in that slot/,
    );
    await expect(client.readBlock({ number: slot + 1, hash: before.hash })).rejects.toThrow(
      /the node is behind/,
    );
    await expect(client.readBlock({ number: slot, hash: before.hash })).rejects.toMatchObject({
      code: 'block_not_found',
    });
    await node.produce(33);
    expect((await client.findFinalized())!.number).toBeGreaterThanOrEqual(slot);
  });

  it('tells native transfers, legacy and v0 with a look-up table, and of a failure the fee alone', async () => {
    const fresh = Keypair.generate().publicKey;
    const legacy = await run([pay(fresh, SOL)], { version: 'legacy' });
    expect(legacy.tx).toMatchObject({
      isFailed: false,
      from: payer.publicKey.toBase58(),
      fee: { amountRaw: 5_000n, payer: payer.publicKey.toBase58() },
    });
    expect(linesOf(legacy.tx)).toEqual([`${payer.publicKey} ${fresh} ${SOL} ${native}`]);

    const recentSlot = (await client.readHead()).number;
    const [create, table] = AddressLookupTableProgram.createLookupTable({
      authority: payer.publicKey,
      payer: payer.publicKey,
      recentSlot: recentSlot - 1,
    });
    const extend = AddressLookupTableProgram.extendLookupTable({
      lookupTable: table,
      authority: payer.publicKey,
      payer: payer.publicKey,
      addresses: [fresh, bob.publicKey],
    });
    await run([create, extend]);
    await node.produce();
    const { value } = await node.connection.getAddressLookupTable(table);
    const looked = await run([pay(fresh, 7n * SOL), pay(bob.publicKey, SOL, alice.publicKey)], {
      tables: [value!],
      signers: [alice],
    });
    expect(linesOf(looked.tx).toSorted()).toEqual(
      [
        `${alice.publicKey} ${bob.publicKey} ${SOL} ${native}`,
        `${payer.publicKey} ${fresh} ${7n * SOL} ${native}`,
      ].toSorted(),
    );

    const failed = await run([pay(fresh, 500n * SOL)], { skipPreflight: true });
    expect(failed.tx).toMatchObject({ isFailed: true, transfers: [], fee: { amountRaw: 5_000n } });
  });

  it('tells payments, memos, tokens and failures of version 1', async () => {
    const fresh = Keypair.generate().publicKey;
    const config = { ...token.LOCAL_LIMITS, priorityFee: 777n };
    const memoOf = (text: string): TransactionInstruction =>
      new TransactionInstruction({ programId: token.MEMO_PROGRAM, keys: [], data: Buffer.from(text) });
    const version1 = { version: 1, config } as const;
    const paid = await run([pay(fresh, SOL), memoOf('order 1'), memoOf('ü')], version1);
    expect(linesOf(paid.tx)).toEqual([`${payer.publicKey} ${fresh} ${SOL} ${native}`]);
    expect(paid.tx).toMatchObject({ isFailed: false, memo: 'order 1\nü', fee: { amountRaw: 5_777n } });
    expect([paid.block.unknowns, paid.tx.verification]).toEqual([undefined, 'attested']);
    expect(await balanceOf(paid.block, fresh, native)).toBe(SOL);

    // Two pay two the same amount: only the instructions say who paid whom.
    const crossed = await run([pay(fresh, 3n, alice.publicKey), pay(payer.publicKey, 3n, bob.publicKey)], {
      ...version1,
      signers: [alice, bob],
    });
    expect(crossed.tx.fee!.amountRaw).toBe(15_777n);
    expect(linesOf(crossed.tx).toSorted()).toEqual(
      [
        `${alice.publicKey} ${fresh} 3 ${native}`,
        `${bob.publicKey} ${payer.publicKey} 3 ${native}`,
      ].toSorted(),
    );

    const coin = await createMint(token.TOKEN_PROGRAM, 82);
    await run([
      ...give(coin, alice.publicKey, 1_000n),
      token.createAssociatedAccount(payer.publicKey, { owner: bob.publicKey, mint: coin.mint }),
    ]);
    const [from, to] = [coin.accountOf(alice.publicKey), coin.accountOf(bob.publicKey)];
    const move = (amount: bigint): TransactionInstruction =>
      token.transferChecked({ from, to, owner: alice.publicKey, mint: coin.mint, amount, decimals: 6 });
    const moved = await run([move(300n)], { ...version1, signers: [alice] });
    expect(linesOf(moved.tx)).toEqual([
      `${alice.publicKey} ${bob.publicKey} 300 ${gidOf(coin.mint)}`,
      `${from} ${to} 300 ${gidOf(coin.mint)}`,
    ]);
    const failed = await run([move(5_000n)], { ...version1, signers: [alice], skipPreflight: true });
    expect(failed.tx).toMatchObject({ isFailed: true, transfers: [], fee: { amountRaw: 10_777n } });
  });

  it('reads a transaction of version 1 the same in every encoding', async () => {
    const { tx, block } = await run(
      [
        pay(bob.publicKey, 5n),
        new TransactionInstruction({ programId: token.MEMO_PROGRAM, keys: [], data: Buffer.from('same') }),
      ],
      { version: 1, config: { ...token.LOCAL_LIMITS, priorityFee: 9n } },
    );
    for (const encoding of ['base64', 'base58', 'json', 'jsonParsed']) {
      const raw = await node.call<RawBlock>('getBlock', [
        block.number,
        { commitment: 'confirmed', encoding, maxSupportedTransactionVersion: 1 },
      ]);
      const { transactions, fees, unknowns } = verifyBlock(
        { number: block.number, hash: block.hash },
        {
          chainGid: network.gid,
          raw,
          take: (one) => ({ ...decodeTransaction(network, one), config: one.tx.config }),
        },
      );
      expect([fees, unknowns]).toEqual(['proved', []]);
      const config = {
        priorityFee: 9n,
        computeUnitLimit: 200_000,
        loadedAccountsDataSizeLimit: 67_108_864,
        heapSize: undefined,
      };
      expect(transactions).toEqual([{ ...tx, config }]);
    }
  });

  it('tells tokens by owner and by token account: mint, transfer, burn, close, and what they leave', async () => {
    const coin = await createMint(token.TOKEN_PROGRAM, 82);
    const { mint, accountOf } = coin;
    const [from, to] = [accountOf(alice.publicKey), accountOf(bob.publicKey)];
    const minted = await run(give(coin, alice.publicKey, 1_000n));
    expect(linesOf(minted.tx).filter((line) => line.endsWith(gidOf(mint)))).toEqual([
      `undefined ${alice.publicKey} 1000 ${gidOf(mint)}`,
      `undefined ${from} 1000 ${gidOf(mint)}`,
    ]);

    const moved = await run(
      [
        token.createAssociatedAccount(payer.publicKey, { owner: bob.publicKey, mint }),
        token.transferChecked({ from, to, owner: alice.publicKey, mint, amount: 300n, decimals: 6 }),
      ],
      { signers: [alice] },
    );
    expect(linesOf(moved.tx).filter((line) => line.endsWith(gidOf(mint)))).toEqual([
      `${alice.publicKey} ${bob.publicKey} 300 ${gidOf(mint)}`,
      `${from} ${to} 300 ${gidOf(mint)}`,
    ]);

    const burnt = await run(
      [
        token.burn(to, { mint, owner: bob.publicKey, amount: 300n }),
        token.closeAccount(to, { destination: bob.publicKey, owner: bob.publicKey }),
      ],
      { signers: [bob] },
    );
    expect(linesOf(burnt.tx).filter((line) => line.endsWith(gidOf(mint)))).toEqual([
      `${bob.publicKey} undefined 300 ${gidOf(mint)}`,
      `${to} undefined 300 ${gidOf(mint)}`,
    ]);
    // The rent of the closed account came back to its owner.
    expect(linesOf(burnt.tx)[0]).toMatch(`${to} ${bob.publicKey}`);

    expect(
      await Promise.all(
        [minted, moved, burnt].map(({ block }) => balanceOf(block, alice.publicKey, gidOf(mint))),
      ),
    ).toEqual([1_000n, 700n, 700n]);
    expect(
      await Promise.all(
        [minted, moved, burnt].map(({ block }) => balanceOf(block, bob.publicKey, gidOf(mint))),
      ),
    ).toEqual([0n, 300n, 0n]);
    expect(
      await Promise.all([minted, moved, burnt].map(({ block }) => balanceOf(block, to, gidOf(mint)))),
    ).toEqual([0n, 300n, 0n]);
  });

  it('tells what a Token-2022 transfer withholds, and reads its metadata', async () => {
    const metadata = { name: 'Taxed Coin', symbol: 'TAX', uri: 'https://example.org/tax.json' };
    const coin = await createMint(
      token.TOKEN_2022_PROGRAM,
      346,
      (mint) => [
        token.initializeTransferFee(mint, {
          authority: payer.publicKey,
          basisPoints: 100,
          maximum: 1_000_000n,
        }),
        token.initializeMetadataPointer(mint, payer.publicKey, mint),
      ],
      (mint) => [token.initializeTokenMetadata(mint, payer.publicKey, metadata)],
    );
    const { mint, program, accountOf } = coin;
    await run([
      ...give(coin, alice.publicKey, 10_000n),
      token.createAssociatedAccount(payer.publicKey, { owner: bob.publicKey, mint, program }),
    ]);
    const { tx, block } = await run(
      [
        token.transferChecked({
          from: accountOf(alice.publicKey),
          to: accountOf(bob.publicKey),
          owner: alice.publicKey,
          mint,
          amount: 1_000n,
          decimals: 6,
          program,
        }),
      ],
      { signers: [alice] },
    );
    expect(linesOf(tx).slice(0, 2)).toEqual([
      `${alice.publicKey} ${bob.publicKey} 990 ${gidOf(mint)}`,
      `${alice.publicKey} undefined 10 ${gidOf(mint)}`,
    ]);
    expect(await balanceOf(block, bob.publicKey, gidOf(mint))).toBe(990n);
    expect(await client.readTokens([gidOf(mint), gidOf(alice.publicKey), native])).toEqual([
      { name: 'Taxed Coin', symbol: 'TAX', decimals: 6 },
      undefined,
      undefined,
    ]);
  });

  it('reads the scaled amounts and the interest of Token-2022, as the program itself writes them', async () => {
    const extend = (id: number, data: Buffer) => (mint: PublicKey) => [
      new TransactionInstruction({
        programId: token.TOKEN_2022_PROGRAM,
        keys: [{ pubkey: mint, isSigner: false, isWritable: true }],
        data: Buffer.concat([Buffer.from([id, 0]), payer.publicKey.toBuffer(), data]),
      }),
    ];
    const double = Buffer.alloc(8);
    double.writeDoubleLE(1.5);
    const scaled = await createMint(token.TOKEN_2022_PROGRAM, 226, extend(43, double));
    const points = Buffer.alloc(2);
    points.writeInt16LE(-250);
    const bearing = await createMint(token.TOKEN_2022_PROGRAM, 222, extend(33, points));
    const read = async ({ mint }: Mint) => (await client.readTokens([gidOf(mint)]))[0]?.uiMultiplier;
    expect(await read(scaled)).toEqual({ type: 'scaled', value: '1.5' });
    const interest = await read(bearing);
    expect(interest).toMatchObject({ type: 'interest', rateBefore: -250, rate: -250 });
    expect(interest).toHaveProperty('startedAt', (interest as { changedAt: number }).changedAt);

    // A change that holds later: instruction 1 of the extension takes the multiplier and its time.
    const later = Buffer.alloc(16);
    later.writeDoubleLE(3);
    later.writeBigInt64LE(9_000_000_000n, 8);
    await run([
      new TransactionInstruction({
        programId: token.TOKEN_2022_PROGRAM,
        keys: [
          { pubkey: scaled.mint, isSigner: false, isWritable: true },
          { pubkey: payer.publicKey, isSigner: true, isWritable: false },
        ],
        data: Buffer.concat([Buffer.from([43, 1]), later]),
      }),
    ]);
    expect(await read(scaled)).toEqual({
      type: 'scaled',
      value: '1.5',
      next: { value: '3', at: 9_000_000_000 },
    });
  });

  it('tells wrapped SOL as a token of its own', async () => {
    const account = token.associatedAccount(alice.publicKey, token.NATIVE_MINT);
    const { tx } = await run(
      [
        token.createAssociatedAccount(payer.publicKey, { owner: alice.publicKey, mint: token.NATIVE_MINT }),
        pay(account, SOL, alice.publicKey),
        token.syncNative(account),
      ],
      { signers: [alice] },
    );
    expect(linesOf(tx)).toEqual(
      expect.arrayContaining([
        `${alice.publicKey} ${account} ${SOL} ${native}`,
        `undefined ${alice.publicKey} ${SOL} ${gidOf(token.NATIVE_MINT)}`,
      ]),
    );
  });

  it('reads balances as they were at a block that others have followed', async () => {
    const carol = Keypair.generate();
    const refs: BlockRef[] = [];
    for (const lamports of [3n * SOL, SOL, 2n * SOL]) {
      const { block } = await run([pay(carol.publicKey, lamports)]);
      refs.push({ number: block.number, hash: block.hash });
    }
    const { block: spent } = await run([pay(bob.publicKey, SOL, carol.publicKey)], { payer: carol });
    await node.skip(2);
    await node.produce(2);
    expect(await Promise.all([...refs, spent].map((at) => balanceOf(at, carol.publicKey, native)))).toEqual([
      3n * SOL,
      4n * SOL,
      6n * SOL,
      5n * SOL - 5_000n,
    ]);
    await expect(
      balanceOf({ number: refs[0]!.number, hash: refs[1]!.hash }, carol.publicKey, native),
    ).rejects.toMatchObject({ code: 'block_not_found' });
    await expect(
      balanceOf({ number: spent.number + 100, hash: spent.hash }, carol.publicKey, native),
    ).rejects.toMatchObject({ code: 'block_not_found' });
    await node.produce(130);
    await expect(balanceOf(refs[0]!, carol.publicKey, native)).rejects.toMatchObject({
      code: 'block_not_found',
    });
  });

  it('reads what an account held that was closed between two answers of the node', async () => {
    const mint = await createMint(token.TOKEN_PROGRAM, 82);
    const { block } = await run(give(mint, alice.publicKey, 5n));
    const account = mint.accountOf(alice.publicKey);
    let isClosed = false;
    let tellAnswered: () => void = () => undefined;
    const answered = new Promise<void>((resolve) => (tellAnswered = resolve));
    const close = async (): Promise<void> => {
      isClosed = true;
      const owner = alice.publicKey;
      await run(
        [
          token.burn(account, { mint: mint.mint, owner, amount: 5n }),
          token.closeAccount(account, { destination: owner, owner }),
        ],
        { signers: [alice] },
      );
    };
    const proxy = createServer((req, res) => {
      void (async () => {
        const chunks: Buffer[] = [];
        for await (const chunk of req) chunks.push(chunk as Buffer);
        const body = Buffer.concat(chunks).toString();
        // Balances of accounts are told before, those of tokens after it.
        if (body.includes('getTokenAccountsByOwner') && !isClosed) {
          await answered;
          await close();
        }
        const answer = await fetch(node.url, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body,
        });
        res.setHeader('content-type', 'application/json');
        res.end(await answer.text());
        if (body.includes('getMultipleAccounts')) tellAnswered();
      })();
    });
    await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
    const late = new SolanaClient({
      network,
      endpointUrl: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`,
    });
    const queries = [native, gidOf(mint.mint)].map((assetGid) => ({
      address: alice.publicKey.toBase58(),
      assetGid,
    }));
    const at = { number: block.number, hash: block.hash };
    const [, held] = await late.readBalances(at, queries);
    late.close();
    proxy.close();
    expect([isClosed, held]).toEqual([true, 5n]);
    expect(await balanceOf(at, alice.publicKey, gidOf(mint.mint))).toBe(5n);
  });

  it('reads the other branch after a fork, whose blocks stand in later slots', async () => {
    const dave = Keypair.generate().publicKey;
    const { block: base } = await run([pay(alice.publicKey, 1n)]);
    const { block: orphan } = await run([pay(dave, SOL)]);
    const [bytes] = await node.fork(1);
    await node.resend(bytes!);
    const { slot, blockhash } = await node.produce();
    expect(slot).toBe(orphan.number + 1);
    await expect(client.readBlock(orphan)).rejects.toMatchObject({ code: 'block_not_found' });
    expect(await client.readHead()).toMatchObject({
      hash: blockhash,
      parentHash: base.hash,
      parentNumber: base.number,
    });
    const block = await client.readBlock({ number: slot, hash: blockhash });
    expect(block.transactions.map(({ hash }) => hash)).toEqual([orphan.transactions[0]!.hash]);
    expect(await balanceOf(block, dave, native)).toBe(SOL);
    await expect(balanceOf(orphan, dave, native)).rejects.toMatchObject({ code: 'block_not_found' });
  });
});
