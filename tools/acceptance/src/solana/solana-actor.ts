// SPDX-License-Identifier: Apache-2.0
import {
  AddressLookupTableProgram,
  Keypair,
  SystemProgram,
  type AddressLookupTableAccount,
  type PublicKey,
  type TransactionInstruction,
} from '@solana/web3.js';
import * as token from '../../../devnet/solana/index.ts';

const LAMPORTS = 1_000_000_000n;
const MINT_BYTES = 82;
const FEE_MINT_BYTES = 278;
const MINT_RENT = 10_000_000;
const DECIMALS = 6;
/** Lamports that a transaction of version 1 offers. */
const PRIORITY_FEE = 321n;
/** Of the first mint, as Metaplex keeps it. */
export const METAPLEX_NAMES = { name: 'Bönk', symbol: 'BÖNK' };

export interface TestMint {
  readonly mint: PublicKey;
  readonly program: PublicKey;
}

/**
 * Moves value on a node that makes blocks on command. In each of its transactions an asset has one sender or one
 * receiver, so that there is one way to say who paid whom.
 */
export class SolanaActor {
  readonly #node: token.SolanaNode;
  /** The first pays for what the others cannot. */
  readonly wallets: readonly Keypair[] = Array.from({ length: 7 }, () => Keypair.generate());
  mints: readonly TestMint[] = [];
  #version: token.SentVersion = 0;
  #table: AddressLookupTableAccount | undefined;

  constructor(node: token.SolanaNode) {
    this.#node = node;
  }

  async start(): Promise<void> {
    const node = this.#node;
    for (const { publicKey } of this.wallets) await node.airdrop(publicKey, 100n * LAMPORTS);
    await node.produce(3);
    this.mints = [
      await this.createMint(token.TOKEN_PROGRAM),
      await this.createMint(token.TOKEN_2022_PROGRAM),
    ];
    await this.nameMint(this.mints[0]!, METAPLEX_NAMES);
    await this.#createTable();
    for (const { publicKey } of this.wallets)
      for (const mint of this.mints) await this.mint(mint, publicKey, 1_000_000n);
    await node.produce(2);
  }

  /** Of transactions from now on; 0 at the start. */
  useVersion(version: token.SentVersion): void {
    this.#version = version;
  }

  async produce(blocks = 1): Promise<void> {
    await this.#node.produce(blocks);
  }

  async skip(slots: number): Promise<void> {
    await this.#node.skip(slots);
  }

  /** Replaces the last blocks above finality; `keep` of their transactions (in order) come back in the next one. */
  async fork(depth: number, keep: () => boolean): Promise<void> {
    for (const bytes of await this.#node.fork(depth)) if (keep()) await this.#node.resend(bytes);
  }

  async pay(
    from: Keypair,
    { to, lamports }: { readonly to: readonly PublicKey[]; readonly lamports: bigint },
  ): Promise<void> {
    await this.#send(
      to.map((toPubkey) => SystemProgram.transfer({ fromPubkey: from.publicKey, toPubkey, lamports })),
      from,
    );
  }

  /** A payment with instructions of the memo program, in their order. */
  async payWithMemos(
    from: Keypair,
    to: PublicKey,
    memos: readonly { readonly program: PublicKey; readonly data: Buffer }[],
  ): Promise<void> {
    await this.#send(
      [
        SystemProgram.transfer({ fromPubkey: from.publicKey, toPubkey: to, lamports: 5_000n }),
        ...memos.map(({ program, data }) => ({ programId: program, keys: [], data })),
      ],
      from,
    );
  }

  async mint({ mint, program }: TestMint, to: PublicKey, amount: bigint): Promise<void> {
    const [payer] = this.wallets as [Keypair];
    const account = token.associatedAccount(to, mint, program);
    await this.#send(
      [
        token.createAssociatedAccount(payer.publicKey, { owner: to, mint, program }),
        token.mintTo(mint, { account, authority: payer.publicKey, amount, program }),
      ],
      payer,
    );
  }

  /** To an owner whose account is made where there is none; fails when the sender has less. */
  async transfer(
    { mint, program }: TestMint,
    { from, to, amount }: { readonly from: Keypair; readonly to: PublicKey; readonly amount: bigint },
  ): Promise<void> {
    const [source, target] = [from.publicKey, to].map((owner) =>
      token.associatedAccount(owner, mint, program),
    ) as [PublicKey, PublicKey];
    const move = token.transferChecked({
      from: source,
      to: target,
      owner: from.publicKey,
      mint,
      amount,
      decimals: DECIMALS,
      program,
    });
    await this.#send(
      [token.createAssociatedAccount(from.publicKey, { owner: to, mint, program }), move],
      from,
    );
  }

  async burn({ mint, program }: TestMint, owner: Keypair, amount: bigint): Promise<void> {
    await this.#send(
      [
        token.burn(token.associatedAccount(owner.publicKey, mint, program), {
          mint,
          owner: owner.publicKey,
          amount,
          program,
        }),
      ],
      owner,
    );
  }

  async wrap(owner: Keypair, lamports: bigint): Promise<void> {
    const account = token.associatedAccount(owner.publicKey, token.NATIVE_MINT);
    const fund = SystemProgram.transfer({ fromPubkey: owner.publicKey, toPubkey: account, lamports });
    await this.#send(
      [
        token.createAssociatedAccount(owner.publicKey, { owner: owner.publicKey, mint: token.NATIVE_MINT }),
        fund,
        token.syncNative(account),
      ],
      owner,
    );
  }

  /** What is wrapped comes back with the rent; fails where nothing is. */
  async unwrap(owner: Keypair): Promise<void> {
    const account = token.associatedAccount(owner.publicKey, token.NATIVE_MINT);
    await this.#send(
      [token.closeAccount(account, { destination: owner.publicKey, owner: owner.publicKey })],
      owner,
    );
  }

  async #send(instructions: readonly TransactionInstruction[], payer: Keypair): Promise<void> {
    const version = this.#version;
    await this.#node.send(instructions, {
      payer,
      version,
      skipPreflight: true,
      ...(version === 0 && this.#table !== undefined && { tables: [this.#table] }),
      ...(version === 1 && { config: { ...token.LOCAL_LIMITS, priorityFee: PRIORITY_FEE } }),
    });
  }

  /** With a transfer fee where the program has fees. */
  async createMint(program: PublicKey, decimals = DECIMALS): Promise<TestMint> {
    const space = program.equals(token.TOKEN_PROGRAM) ? MINT_BYTES : FEE_MINT_BYTES;
    const [payer] = this.wallets as [Keypair];
    const key = Keypair.generate();
    const mint = key.publicKey;
    const create = SystemProgram.createAccount({
      fromPubkey: payer.publicKey,
      newAccountPubkey: mint,
      lamports: MINT_RENT,
      space,
      programId: program,
    });
    const fee = program.equals(token.TOKEN_2022_PROGRAM)
      ? [
          token.initializeTransferFee(mint, {
            authority: payer.publicKey,
            basisPoints: 250,
            maximum: 1_000_000n,
          }),
        ]
      : [];
    await this.#node.send(
      [create, ...fee, token.initializeMint(mint, { decimals, authority: payer.publicKey, program })],
      {
        payer,
        signers: [key],
      },
    );
    await this.#node.produce();
    return { mint, program };
  }

  async nameMint(
    { mint }: TestMint,
    names: { readonly name: string | Buffer; readonly symbol: string | Buffer },
  ): Promise<void> {
    const data = token.encodeMetaplexMetadata({
      mint,
      authority: this.wallets[0]!.publicKey,
      ...names,
      uri: 'https://example.com/token.json',
    });
    await this.#node.setAccount(token.metaplexAddress(mint), {
      owner: token.METAPLEX_PROGRAM,
      data,
      lamports: BigInt(MINT_RENT),
    });
  }

  /** Half of the wallets are looked up from now on. */
  async #createTable(): Promise<void> {
    const [payer] = this.wallets as [Keypair];
    const authority = payer.publicKey;
    const recentSlot = (await this.#node.call<number>('getSlot', [{ commitment: 'confirmed' }])) - 1;
    const [create, table] = AddressLookupTableProgram.createLookupTable({
      authority,
      payer: authority,
      recentSlot,
    });
    const addresses = this.wallets.slice(3).map(({ publicKey }) => publicKey);
    const extend = AddressLookupTableProgram.extendLookupTable({
      lookupTable: table,
      authority,
      payer: authority,
      addresses,
    });
    await this.#node.send([create, extend], { payer });
    await this.#node.produce(2);
    this.#table = (await this.#node.connection.getAddressLookupTable(table)).value ?? undefined;
  }
}
