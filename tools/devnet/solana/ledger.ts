// SPDX-License-Identifier: Apache-2.0
import { createHash, randomBytes } from 'node:crypto';
import { deserialize, serialize } from 'node:v8';
import { base58 } from '@scure/base';
import { Keypair, LAMPORTS_PER_SOL, PublicKey } from '@solana/web3.js';
import { executeTransaction, signatureOf, type ExecutedTransaction } from './execute-transaction.ts';
import { feeReward } from './fee-reward.ts';
import { Account, Clock, LiteSvm, restoreAccount } from './litesvm.ts';

export interface LedgerBlock {
  readonly slot: number;
  readonly height: number;
  readonly parentSlot: number;
  readonly blockhash: string;
  readonly previousBlockhash: string;
  readonly blockTime: number;
  readonly transactions: readonly ExecutedTransaction[];
  /** The leader's share of the fees; 0n in a block without. */
  readonly reward: bigint;
  readonly leaderBalance: bigint;
}

/** Features that the main network does not have yet. */
export interface ComingFeatures {
  /** A transaction whose payer cannot pay stands in the block, without an effect (SIMD-0290). */
  readonly unpaid: boolean;
  /** The leader gets a tenth of the fees; delegators get the rest at the end of the epoch (SIMD-0123). */
  readonly sharedRevenue: boolean;
}

interface SavedLedger {
  readonly vm: Uint8Array;
  readonly leader: Uint8Array;
  readonly faucet: Uint8Array;
  readonly blocks: readonly LedgerBlock[];
}

interface Undo {
  readonly key: Uint8Array;
  readonly account: Account | null;
}

/** A blockhash serves that many blocks (Agave: MAX_PROCESSING_AGE). */
const BLOCKHASH_AGE_MAX = 150;
/** As far behind the head as on the main network. */
const FINALITY_SLOTS = 32;
/** Bodies kept; older blocks are cleaned up, as on a node without an archive. */
const BLOCKS_KEPT = 20_000;
const BLOCKS_SAVED = 5_000;
/** Entries of the sysvar that look-up tables are created by. */
const SLOT_HASHES_KEPT = 16;

/** One chain on one runtime: blocks, slots without a block, and forks that give back what their blocks changed. */
export class Ledger {
  readonly vm: LiteSvm;
  readonly leader: PublicKey;
  readonly faucet: Keypair;
  readonly #finalitySlots: number;
  readonly #blocks: LedgerBlock[] = [];
  readonly #undo = new Map<number, readonly Undo[]>();
  readonly #signatures = new Map<
    string,
    { readonly block: LedgerBlock; readonly executed: ExecutedTransaction }
  >();
  readonly #queue: Uint8Array[] = [];
  features: ComingFeatures = { unpaid: false, sharedRevenue: false };
  #slot = 0;
  #finalized!: LedgerBlock;

  constructor({
    finalitySlots = FINALITY_SLOTS,
    saved,
  }: { readonly finalitySlots?: number; readonly saved?: Uint8Array } = {}) {
    this.#finalitySlots = finalitySlots;
    const state = saved === undefined ? undefined : (deserialize(saved) as SavedLedger);
    this.vm = state === undefined ? new LiteSvm() : LiteSvm.fromBytes(state.vm);
    this.vm.setBlockhashCheck(false);
    this.vm.setTransactionHistory(0n);
    this.leader = state === undefined ? Keypair.generate().publicKey : new PublicKey(state.leader);
    this.faucet = state === undefined ? Keypair.generate() : Keypair.fromSecretKey(state.faucet);
    if (state === undefined) this.#begin();
    else this.#restore(state);
  }

  /** All that a ledger is made from again, but for what may still be forked away: that stays for good. */
  save(): Uint8Array {
    const state: SavedLedger = {
      vm: this.vm.toBytes(),
      leader: this.leader.toBytes(),
      faucet: this.faucet.secretKey,
      blocks: [this.#blocks[0]!, ...this.#blocks.slice(1).slice(-BLOCKS_SAVED)],
    };
    return serialize(state);
  }

  #begin(): void {
    const { vm } = this;
    vm.withNativeMints();
    vm.setAccount(this.faucet.publicKey.toBytes(), systemAccount(500_000_000n * BigInt(LAMPORTS_PER_SOL)));
    vm.setAccount(this.leader.toBytes(), systemAccount(BigInt(LAMPORTS_PER_SOL)));
    const genesis = base58.encode(randomBytes(32));
    this.#append({ slot: 0, transactions: [], previousBlockhash: genesis, parentSlot: 0, reward: 0n });
  }

  #restore({ blocks }: SavedLedger): void {
    this.#blocks.push(...blocks);
    this.#slot = this.head.slot;
    this.#finalized = this.head;
    for (const block of blocks)
      for (const executed of block.transactions)
        this.#signatures.set(signatureOf(executed), { block, executed });
  }

  get genesisHash(): string {
    return this.#blocks[0]!.blockhash;
  }

  get head(): LedgerBlock {
    return this.#blocks.at(-1)!;
  }

  /** Never goes back. */
  get finalized(): LedgerBlock {
    return this.#finalized;
  }

  /** The first block whose body is kept. */
  get firstSlot(): number {
    return (
      this.#blocks[Math.max(this.#blocks[1]?.parentSlot === 0 ? 0 : 1, this.#blocks.length - BLOCKS_KEPT)]
        ?.slot ?? 0
    );
  }

  get blocks(): readonly LedgerBlock[] {
    return this.#blocks;
  }

  get transactionCount(): number {
    return this.#signatures.size;
  }

  findBlock(slot: number): LedgerBlock | undefined {
    let low = 0;
    for (let high = this.#blocks.length; low < high; ) {
      const middle = (low + high) >> 1;
      if (this.#blocks[middle]!.slot < slot) low = middle + 1;
      else high = middle;
    }
    const block = this.#blocks[low];
    return block?.slot === slot ? block : undefined;
  }

  findTransaction(
    signature: string,
  ): { readonly block: LedgerBlock; readonly executed: ExecutedTransaction } | undefined {
    return this.#signatures.get(signature);
  }

  isValidBlockhash(blockhash: string): boolean {
    return this.#blocks.slice(-BLOCKHASH_AGE_MAX).some((block) => block.blockhash === blockhash);
  }

  /** Waits for the next block, in the order of the calls. */
  enqueue(bytes: Uint8Array): void {
    this.#queue.push(bytes);
  }

  /** Out of nothing: not part of any block, and not undone by a fork. */
  setAccount(
    key: PublicKey,
    {
      owner,
      data,
      lamports,
    }: { readonly owner: PublicKey; readonly data: Uint8Array; readonly lamports: bigint },
  ): void {
    this.vm.setAccount(key.toBytes(), new Account(lamports, data, owner.toBytes(), false, 0n));
  }

  /** Slots pass without a block. */
  skip(slots: number): void {
    this.#slot += slots;
  }

  /** The block of the next slot, with everything that waits. */
  produce(): LedgerBlock {
    const { vm } = this;
    const slot = this.#slot + 1;
    const parent = this.head;
    this.#setClock(slot);
    const undo: Undo[] = [];
    const transactions: ExecutedTransaction[] = [];
    for (const bytes of this.#queue.splice(0)) this.#execute(bytes, transactions, undo);
    const paid = feeReward(transactions);
    const reward = this.features.sharedRevenue ? paid / 10n : paid;
    if (reward > 0n) {
      const key = this.leader.toBytes();
      undo.push({ key, account: vm.getAccount(key) });
      vm.setAccount(key, systemAccount((vm.getBalance(key) ?? 0n) + reward));
    }
    this.#undo.set(slot, undo);
    for (const old of this.#undo.keys()) if (old < this.finalized.slot) this.#undo.delete(old);
    return this.#append({
      slot,
      transactions,
      previousBlockhash: parent.blockhash,
      parentSlot: parent.slot,
      reward,
    });
  }

  /**
   * Drops the last `depth` blocks, none of them finalized. Their slots stay empty for ever, and their transactions come
   * back as bytes, in order.
   */
  fork(depth: number): Uint8Array[] {
    const dropped: LedgerBlock[] = [];
    for (let count = 0; count < depth; count += 1) {
      if (this.head.slot <= this.finalized.slot) break;
      const block = this.#blocks.pop()!;
      for (const { key, account } of this.#undo.get(block.slot)!.toReversed())
        restoreAccount(this.vm, key, account);
      this.#undo.delete(block.slot);
      for (const executed of block.transactions) this.#signatures.delete(signatureOf(executed));
      dropped.unshift(block);
    }
    return dropped.flatMap(({ transactions }) => transactions.map(({ bytes }) => bytes));
  }

  #execute(bytes: Uint8Array, transactions: ExecutedTransaction[], undo: Undo[]): void {
    const signature = signatureOf({ bytes });
    const known = this.#signatures.get(signature)?.executed;
    if (
      (known !== undefined && known.fee > 0n) ||
      transactions.some((other) => signatureOf(other) === signature)
    )
      return;
    const execution = executeTransaction(this.vm, bytes);
    if (execution.type === 'refused') {
      if (this.features.unpaid) transactions.push(execution.executed);
      return;
    }
    for (const [key, account] of execution.before) undo.push({ key: key.toBytes(), account });
    transactions.push(execution.executed);
  }

  #append(
    parts: Pick<LedgerBlock, 'slot' | 'transactions' | 'previousBlockhash' | 'parentSlot' | 'reward'>,
  ): LedgerBlock {
    const { slot, transactions, previousBlockhash } = parts;
    const hash = createHash('sha256').update(`${previousBlockhash}|${slot}`).update(randomBytes(8));
    for (const executed of transactions) hash.update(signatureOf(executed));
    const block = {
      ...parts,
      height: this.#blocks.length,
      blockhash: base58.encode(hash.digest()),
      blockTime: Math.floor(Date.now() / 1_000),
      leaderBalance: this.vm.getBalance(this.leader.toBytes()) ?? 0n,
    };
    this.#blocks.push(block);
    this.#slot = slot;
    this.#finalized =
      this.#blocks.findLast(
        (one) => one.slot <= Math.max(slot - this.#finalitySlots, this.#finalized?.slot ?? 0),
      ) ?? block;
    for (const executed of transactions) this.#signatures.set(signatureOf(executed), { block, executed });
    return block;
  }

  #setClock(slot: number): void {
    this.vm.warpToSlot(BigInt(slot));
    this.vm.setClock(new Clock(BigInt(slot), 0n, 0n, 0n, BigInt(Math.floor(Date.now() / 1_000))));
    const recent = this.#blocks.slice(-SLOT_HASHES_KEPT).toReversed();
    this.vm.setSlotHashes(
      recent.map(({ slot: number, blockhash }) => ({ slot: BigInt(number), hash: blockhash })),
    );
  }
}

function systemAccount(lamports: bigint): Account {
  return new Account(lamports, new Uint8Array(), PublicKey.default.toBytes(), false, 0n);
}
