// SPDX-License-Identifier: Apache-2.0
import { createHash } from 'node:crypto';
import {
  computeBlockId,
  encodeHeader,
  type HeaderFields,
} from '../../../libs/chain-tron/src/encode-header.ts';
import { computeMerkleRoot } from '../../../libs/chain-tron/src/merkle-root.ts';
import { bytesOf, encodeBytes, encodeInt, intOf, readFields } from '../../../libs/chain-tron/src/protobuf.ts';
import type { AnvilVm, VmState } from './anvil-vm.ts';
import { checkCall, decodeCall, type ContractCall } from './contract-schema.ts';
import { executeTransaction, RefusedError } from './execute-transaction.ts';
import { Ledger } from './ledger.ts';
import { createNamedAccount, recoverSigner, type TronAccount } from './tron-account.ts';

/** A signed transaction as it was broadcast. */
export interface SignedTransaction {
  readonly txid: string;
  readonly rawData: Buffer;
  readonly signatures: readonly string[];
  readonly call: ContractCall;
}

export interface StoredTransaction extends SignedTransaction {
  readonly contractRet: string;
  readonly info: Readonly<Record<string, unknown>>;
}

export interface StoredBlock {
  readonly id: string;
  readonly number: number;
  readonly timestampMs: number;
  readonly header: HeaderFields;
  readonly witnessSignature: string;
  readonly transactions: readonly StoredTransaction[];
}

/** What it takes to make a block again. */
export interface JournalEntry {
  readonly id: string;
  readonly timestampMs: number;
  /** Kept, because signing takes longer than everything else about a block without transactions. */
  readonly witnessSignature: string;
  /** Hex of `raw_data`, signatures. */
  readonly transactions: readonly (readonly [rawData: string, signatures: readonly string[]])[];
}

interface Entry {
  readonly block: StoredBlock;
  /** The state behind the block; absent where it is that of the block before it, and where nothing is kept. */
  readonly after?: { readonly vm: VmState; readonly ledger: Ledger };
  /** The state before the block; absent for blocks without transactions, and where nothing is kept for reorganizations. */
  readonly before?: { readonly snapshot: string; readonly ledger: Ledger };
}

export interface TronNodeOptions {
  readonly vm: AnvilVm;
  /** Blocks that lie on the last solidified one: 18 with 27 producers. */
  readonly solidifiedLag?: number;
  /** Blocks are dated so much before the clock. Default 0. */
  readonly behindMs?: number;
  /** Keeps what reorganizations need. Default true. */
  readonly canReorg?: boolean;
  /** Told of every block, before anybody can ask for it. */
  readonly onBlock?: (block: StoredBlock) => void;
}

const SLOT_MS = 3_000;
const VERSION = 34n;
/** With this parent the genesis block's id ends in the chain id 0x7a69, as `tron-local` of the catalogue has it. */
const GENESIS_PARENT = Buffer.from('636861696e7761746368206c6f63616c2054524f4e206368616900003337d00c', 'hex');
const FUNDS_SUN = 1_000_000_000_000_000n;
const ACCOUNTS = 10;
const noHash = Buffer.alloc(32);

/** One chain of TRON: blocks as java-tron makes them, transactions run by `vm`. */
export class TronNode {
  readonly accounts: readonly TronAccount[] = Array.from({ length: ACCOUNTS }, (_, index) =>
    createNamedAccount(`account ${index}`),
  );
  readonly solidifiedLag: number;
  readonly vm: AnvilVm;
  readonly #options: TronNodeOptions;
  readonly #witnesses = ['producer 0', 'producer 1', 'producer 2'].map(createNamedAccount);
  readonly #entries: Entry[] = [];
  readonly #byId = new Map<string, StoredBlock>();
  readonly #blockOf = new Map<string, StoredBlock>();
  #pending: SignedTransaction[] = [];
  #ledger = new Ledger();
  #forks = 0;
  /** One thing at a time: blocks, reorganizations. */
  #queue: Promise<unknown> = Promise.resolve();

  constructor(options: TronNodeOptions) {
    this.#options = options;
    this.vm = options.vm;
    this.solidifiedLag = options.solidifiedLag ?? 18;
  }

  /** Makes the genesis block and funds the accounts. */
  async start(): Promise<void> {
    for (const { hexAddress } of this.accounts) {
      await this.vm.setBalance(hexAddress, FUNDS_SUN);
      this.#ledger.openAccount(hexAddress);
    }
    const header = {
      timestamp: 0n,
      txTrieRoot: noHash,
      parentHash: GENESIS_PARENT,
      number: 0n,
      witnessId: 0n,
      witnessAddress: noHash.subarray(32),
      version: 0n,
      accountStateRoot: noHash.subarray(32),
    };
    this.#append({
      block: {
        id: computeBlockId(header),
        number: 0,
        timestampMs: 0,
        header,
        witnessSignature: '',
        transactions: [],
      },
    });
  }

  get head(): StoredBlock {
    return this.#entries.at(-1)!.block;
  }

  get solidified(): StoredBlock {
    return this.#entries[Math.max(0, this.#entries.length - 1 - this.solidifiedLag)]!.block;
  }

  get ledger(): Ledger {
    return this.#ledger;
  }

  get pendingCount(): number {
    return this.#pending.length;
  }

  findBlock(numberOrId: number | string): StoredBlock | undefined {
    return typeof numberOrId === 'number' ? this.#entries[numberOrId]?.block : this.#byId.get(numberOrId);
  }

  /** In the chain, or waiting for a block. */
  findTransaction(
    txid: string,
  ): { transaction: SignedTransaction | StoredTransaction; block?: StoredBlock } | undefined {
    const block = this.#blockOf.get(txid);
    const stored = block?.transactions.find((tx) => tx.txid === txid);
    if (stored !== undefined) return { transaction: stored, block };
    const transaction = this.#pending.find((tx) => tx.txid === txid);
    return transaction && { transaction };
  }

  /** Takes a transaction in to wait for a block. @throws RefusedError */
  broadcast(rawData: Buffer, given: readonly string[]): SignedTransaction {
    const txid = createHash('sha256').update(rawData).digest('hex');
    // Wallets write digits in either case; a node keeps bytes, and shows them in lower case.
    const signatures = given.map((one) => one.toLowerCase());
    if (this.findTransaction(txid) !== undefined) throw new RefusedError('Dup transaction.');
    const call = decode(rawData);
    const owner = String(call.value['owner_address']);
    const signer = findSigner(txid, signatures);
    if (signer !== owner)
      throw new BadSignatureError(
        `Validate signature error: ${signer ?? 'nobody'} is not contained of permission.`,
      );
    this.#expectReference(rawData);
    const transaction = { txid, rawData, signatures, call };
    this.#pending.push(transaction);
    return transaction;
  }

  /** Makes a block of what waits; `again` where it was made before. */
  produce(again?: Pick<JournalEntry, 'timestampMs' | 'witnessSignature'>): Promise<StoredBlock> {
    return this.#inTurn(() => this.#produce(again));
  }

  /** Makes a block of a journal again. @throws Error when it becomes another one */
  async replay({ id, transactions, ...made }: JournalEntry): Promise<void> {
    this.#pending = transactions.map(([hex, given]) => {
      const signatures = given.map((one) => one.toLowerCase());
      const rawData = Buffer.from(hex, 'hex');
      return {
        txid: createHash('sha256').update(rawData).digest('hex'),
        rawData,
        signatures,
        call: decodeCall(rawData),
      };
    });
    const block = await this.produce(made);
    if (block.id !== id)
      throw new Error(`expected block ${id}, got ${block.id}: the chain is not the one it was`);
  }

  async mine(count = 1): Promise<StoredBlock> {
    let last = this.head;
    for (let block = 0; block < count; block += 1) last = await this.produce();
    return last;
  }

  /** Drops the last `depth` blocks; of their transactions those that `keep` says wait for a block again. */
  reorg(depth: number, keep: (txid: string) => boolean = () => false): Promise<void> {
    return this.#inTurn(async () => {
      const dropped = this.#entries.splice(this.#entries.length - depth);
      const first = dropped.find(({ before }) => before !== undefined);
      if (first?.before !== undefined) {
        await this.vm.revert(first.before.snapshot);
        this.#ledger = first.before.ledger;
      }
      for (const { block } of dropped) {
        this.#byId.delete(block.id);
        for (const { txid } of block.transactions) this.#blockOf.delete(txid);
      }
      this.#pending = [
        ...dropped.flatMap(({ block }) => block.transactions.filter(({ txid }) => keep(txid))),
        ...this.#pending,
      ];
      this.#forks += 1;
    });
  }

  async #produce(again?: Pick<JournalEntry, 'timestampMs' | 'witnessSignature'>): Promise<StoredBlock> {
    const parent = this.head;
    const number = parent.number + 1;
    const timestampMs =
      again?.timestampMs ??
      Math.max(
        parent.timestampMs + SLOT_MS,
        Math.floor((Date.now() - (this.#options.behindMs ?? 0)) / SLOT_MS) * SLOT_MS,
      );
    const waiting = this.#pending;
    this.#pending = [];
    const canReorg = waiting.length > 0 && this.#options.canReorg !== false;
    const before = canReorg ? { snapshot: await this.vm.snapshot(), ledger: this.#ledger.copy() } : undefined;
    const transactions: StoredTransaction[] = [];
    for (const transaction of waiting) {
      const stored = await this.#execute(transaction, { number, timestampMs });
      if (stored !== undefined) transactions.push(stored);
    }
    // Other producers build the blocks of a fork, so that the same transactions give other blocks.
    const witness = this.#witnesses[(number + this.#forks) % this.#witnesses.length]!;
    const header: HeaderFields = {
      timestamp: BigInt(timestampMs),
      txTrieRoot: transactions.length === 0 ? noHash : computeMerkleRoot(transactions.map(hashLeaf)),
      parentHash: Buffer.from(parent.id, 'hex'),
      number: BigInt(number),
      witnessId: 0n,
      witnessAddress: Buffer.from(witness.hexAddress, 'hex'),
      version: VERSION,
      accountStateRoot: Buffer.alloc(0),
    };
    const id = computeBlockId(header);
    const block = {
      id,
      number,
      timestampMs,
      header,
      witnessSignature: again?.witnessSignature ?? witness.sign(hashHeader(header)),
      transactions,
    };
    this.#options.onBlock?.(block);
    const after = canReorg ? { vm: await this.vm.keepState(), ledger: this.#ledger.copy() } : undefined;
    this.#append({ block, ...(before && { before }), ...(after && { after }) });
    return block;
  }

  /** What was there after a block; undefined where no block up to it moved anything. */
  stateAt(number: number): Entry['after'] {
    return this.#entries.findLast(({ block, after }) => block.number <= number && after !== undefined)?.after;
  }

  /** Undefined for one that may not stand in a block any more: a node drops it. */
  async #execute(
    transaction: SignedTransaction,
    block: { number: number; timestampMs: number },
  ): Promise<StoredTransaction | undefined> {
    const { txid, rawData, signatures, call } = transaction;
    const bytes = encodeBytes(1, rawData).length + signatures.length * 67;
    const feeLimit = intOf(readFields(rawData), 18);
    try {
      const { contractRet, info } = await executeTransaction({
        vm: this.vm,
        ledger: this.#ledger,
        txid,
        call,
        bytes,
        feeLimit,
        block,
      });
      return { ...transaction, contractRet, info };
    } catch (error) {
      if (error instanceof RefusedError) return undefined;
      throw error;
    }
  }

  /** TAPOS: a transaction counts on the branch whose block it names. */
  #expectReference(rawData: Buffer): void {
    const fields = readFields(rawData);
    const reference = bytesOf(fields, 1);
    const end = reference.length === 2 ? reference.readUInt16BE() : undefined;
    const found = this.#entries.findLast(({ block }) => (block.number & 0xffff) === end);
    if (found?.block.id.slice(16, 32) !== bytesOf(fields, 4).toString('hex'))
      throw new RefusedError('Tapos failed, different block hash.');
    if (Number(intOf(fields, 8)) <= this.head.timestampMs) throw new RefusedError('Transaction expired.');
  }

  #append(entry: Entry): void {
    this.#entries.push(entry);
    this.#byId.set(entry.block.id, entry.block);
    for (const { txid } of entry.block.transactions) this.#blockOf.set(txid, entry.block);
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#queue.then(work);
    this.#queue = result.catch(() => undefined);
    return result;
  }
}

/** A transaction that nobody signed who may (`SIGERROR`). */
export class BadSignatureError extends RefusedError {}

/** `41…` of the first signature's key; undefined where there is none. @throws BadSignatureError for what is none */
function findSigner(txid: string, [first]: readonly string[]): string | undefined {
  if (first === undefined) return undefined;
  if (!/^[0-9a-f]{130,}$/.test(first))
    throw new BadSignatureError(`Validate signature error: size ${first.length / 2}`);
  try {
    return recoverSigner(txid, first);
  } catch (error) {
    throw new BadSignatureError(`Validate signature error: ${(error as Error).message}`);
  }
}

function decode(rawData: Buffer): ContractCall {
  try {
    return checkCall(decodeCall(rawData));
  } catch (error) {
    throw new RefusedError((error as Error).message);
  }
}

const contractResults: Readonly<Record<string, bigint>> = { SUCCESS: 1n, REVERT: 2n, OUT_OF_ENERGY: 10n };

function hashLeaf({ rawData, signatures, contractRet }: StoredTransaction): Buffer {
  const parts = [
    encodeBytes(1, rawData),
    ...signatures.map((hex) => encodeBytes(2, Buffer.from(hex, 'hex'))),
    encodeBytes(5, encodeInt(3, contractResults[contractRet]!)),
  ];
  return createHash('sha256').update(Buffer.concat(parts)).digest();
}

/** What a producer signs: a block's id has the number in front. */
function hashHeader(header: HeaderFields): string {
  return createHash('sha256').update(encodeHeader(header)).digest('hex');
}
