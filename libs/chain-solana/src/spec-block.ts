// SPDX-License-Identifier: Apache-2.0
import { base58 } from '@scure/base';
import { MEMO_PROGRAMS, PRECOMPILES, SYSTEM_PROGRAM, TOKEN_PROGRAM } from './programs.ts';
import type { RawMeta, RawTransaction } from './raw-block.ts';
import type { RecordedBlock } from './spec-fixtures.ts';
import type { SpecRandom } from './wire/spec-draw.ts';
import {
  publicKeyOf,
  signTransaction,
  type ConfigParts,
  type InstructionParts,
  type WireParts,
} from './wire/spec-wire.ts';

/** What a drawn transaction has to be read as. */
export interface ExpectedTransaction {
  readonly hash: string;
  readonly isFailed: boolean;
  readonly memo: string | undefined;
  /** Lamports. */
  readonly fee: bigint;
  /** `<type> <from> <to> <amount>`, sorted. */
  readonly transfers: readonly string[];
}

export interface SpecBlock {
  readonly block: RecordedBlock;
  readonly expected: readonly ExpectedTransaction[];
  /** Of each transaction, to encode another one like it. */
  readonly sources: readonly Source[];
}

interface Source {
  readonly parts: WireParts;
  readonly secrets: readonly Uint8Array[];
}

interface Move {
  /** Undefined: lamports. */
  readonly mint?: string;
  readonly from: Wallet;
  readonly to: Wallet;
  readonly amount: bigint;
}

interface Wallet {
  readonly key: string;
  readonly secret: Uint8Array;
  /** By mint. */
  readonly accounts: ReadonlyMap<string, string>;
}

interface Plan {
  readonly version: WireParts['version'];
  readonly payer: Wallet;
  readonly moves: readonly Move[];
  readonly memos: readonly string[];
  readonly priorityFee: bigint;
  /** Signatures that an instruction has the runtime check. */
  readonly precompiled: number;
  readonly isFailed: boolean;
}

const COMPUTE_BUDGET = 'ComputeBudget111111111111111111111111111111';
const LAMPORTS_PER_SIGNATURE = 5_000n;
const MEMO_PROGRAM = [...MEMO_PROGRAMS][0]!;
const PRECOMPILE = [...PRECOMPILES][0]!;
const DECIMALS = 6;
const VERSIONS = ['legacy', 0, 1] as const;

/**
 * A block of legacy, version 0 and version 1 transactions in turn: payments of one and of many, two that pay two
 * (which only instructions pair), tokens, memos, failures, priority fees. Balances and the reward of the leader come
 * from the rules and not from the reader.
 */
export function drawBlock(random: SpecRandom, count: number): SpecBlock {
  const mints = [0, 1].map(() => drawKey(random));
  const wallets = Array.from({ length: 10 }, (): Wallet => {
    const secret = random.bytes(32);
    const accounts = new Map(mints.map((mint) => [mint, drawKey(random)]));
    return { key: base58.encode(publicKeyOf(secret)), secret, accounts };
  });
  const bank = new SpecBank(wallets);
  const plans = Array.from({ length: count }, (_, index) => drawPlan(random, { index, wallets, mints }));
  const done = plans.map((plan) => execute(random, plan, bank));
  const base = done.reduce((sum, { signatures }) => sum + BigInt(signatures) * LAMPORTS_PER_SIGNATURE, 0n);
  const total = done.reduce((sum, { expected }) => sum + expected.fee, 0n);
  const reward = { pubkey: drawKey(random), lamports: Number(total - base / 2n), rewardType: 'Fee' };
  const block = {
    blockhash: drawKey(random),
    previousBlockhash: drawKey(random),
    parentSlot: 449_000_000,
    blockTime: 1_790_000_000,
    rewards: [reward],
    transactions: done.map(({ raw }) => raw),
  };
  return {
    block,
    expected: done.map(({ expected }) => expected),
    sources: done.map(({ source }) => source),
  };
}

function drawPlan(
  random: SpecRandom,
  { index, wallets, mints }: { index: number; wallets: readonly Wallet[]; mints: readonly string[] },
): Plan {
  const kind = Math.floor(index / 3) % 6;
  const [first, second, third, fourth, payer] = shuffle(random, wallets) as [
    Wallet,
    Wallet,
    Wallet,
    Wallet,
    Wallet,
  ];
  const mint = kind === 3 || kind === 4 ? random.pick(mints) : undefined;
  const amount = BigInt(random.int(1, 900));
  const one: Move = { mint, from: first, to: second, amount };
  const moves =
    kind === 1
      ? [one, { ...one, to: third }, { ...one, to: fourth }]
      : kind === 2 || kind === 4
        ? [one, { ...one, from: third, to: fourth }]
        : [one];
  return {
    version: VERSIONS[index % 3]!,
    payer: kind === 2 || kind === 4 ? payer : first,
    moves: shuffle(random, moves),
    memos: Array.from({ length: random.int(0, 2) }, (_, position) => `invoice ${index}.${position} ü`),
    priorityFee: random.int(0, 1) === 0 ? 0n : BigInt(random.int(1, 50_000)),
    precompiled: random.int(0, 4) === 0 ? random.int(1, 3) : 0,
    isFailed: kind === 5,
  };
}

function execute(
  random: SpecRandom,
  plan: Plan,
  bank: SpecBank,
): {
  readonly raw: RawTransaction;
  readonly expected: ExpectedTransaction;
  readonly source: Source;
  readonly signatures: number;
} {
  const { parts, secrets, keys, loaded } = compile(random, plan);
  const bytes = signTransaction(parts, secrets);
  const signatures = secrets.length + plan.precompiled;
  const fee = BigInt(signatures) * LAMPORTS_PER_SIGNATURE + plan.priorityFee;
  const before = bank.read(keys);
  bank.apply(plan, fee);
  const after = bank.read(keys);
  const meta: RawMeta = {
    err: plan.isFailed ? { InstructionError: [0, { Custom: 1 }] } : null,
    fee: Number(fee),
    preBalances: before.lamports,
    postBalances: after.lamports,
    preTokenBalances: before.tokens,
    postTokenBalances: after.tokens,
    innerInstructions: [],
    loadedAddresses: { writable: loaded, readonly: [] },
  };
  const signatureAt = plan.version === 1 ? bytes.length - 64 * secrets.length : 1;
  return {
    raw: { transaction: [bytes.toString('base64'), 'base64'], meta, version: plan.version },
    expected: {
      hash: base58.encode(bytes.subarray(signatureAt, signatureAt + 64)),
      isFailed: plan.isFailed,
      memo: plan.memos.length === 0 ? undefined : plan.memos.join('\n'),
      fee,
      transfers: plan.isFailed ? [] : plan.moves.flatMap(linesOf).sort(),
    },
    source: { parts, secrets },
    signatures,
  };
}

function linesOf({ mint, from, to, amount }: Move): string[] {
  if (mint === undefined) return [`native ${from.key} ${to.key} ${amount}`];
  const [source, target] = [from.accounts.get(mint)!, to.accounts.get(mint)!];
  return [`token ${from.key} ${to.key} ${amount}`, `token ${source} ${target} ${amount}`];
}

/** Keys in the order of the rules: who signs and pays, who signs, what is written, what is read. */
function compile(
  random: SpecRandom,
  plan: Plan,
): Source & { readonly keys: readonly string[]; readonly loaded: readonly string[] } {
  const { version, payer, moves } = plan;
  const called = listCalls(plan);
  const natives = moves.filter(({ mint }) => mint === undefined);
  const signers = new Map([payer, ...moves.map(({ from }) => from)].map((one) => [one.key, one]));
  const paying = new Set([payer.key, ...natives.map(({ from }) => from.key)]);
  const signed = [...signers.keys()].sort(
    (one, other) => Number(paying.has(other)) - Number(paying.has(one)),
  );
  const readonlySigned = signed.filter((key) => !paying.has(key)).length;
  // Shuffled, so that the order of keys does not say who paid whom.
  const written = shuffle(random, [
    ...new Set(
      moves.flatMap(({ mint, from, to }) =>
        mint === undefined ? [to.key] : [from.accounts.get(mint)!, to.accounts.get(mint)!],
      ),
    ),
  ]).filter((key) => !signers.has(key));
  // Version 0 may look up what does not sign.
  const loaded = version === 0 && random.int(0, 1) === 0 ? written.splice(-1) : [];
  const read = [
    ...new Set([...moves.flatMap(({ mint }) => mint ?? []), ...called.map(({ program }) => program)]),
  ];
  const fixed = [...signed, ...written, ...read];
  const keys = [...fixed, ...loaded];
  const instructions = called.map(
    ({ program, accounts, data }): InstructionParts => ({
      programIndex: keys.indexOf(program),
      accounts: accounts.map((key) => keys.indexOf(key)),
      data,
    }),
  );
  const parts: WireParts = {
    version,
    header: { required: signed.length, readonlySigned, readonlyUnsigned: read.length },
    keys: fixed.map((key) => base58.decode(key)),
    lifetime: random.bytes(32),
    instructions,
    ...(version === 1 && { config: configOf(plan) }),
    ...(loaded.length > 0 && { lookups: [{ key: random.bytes(32), writable: [3], readonly: [] }] }),
  };
  return { parts, secrets: signed.map((key) => signers.get(key)!.secret), keys, loaded };
}

function configOf({ priorityFee }: Plan): ConfigParts {
  return {
    computeUnitLimit: 200_000,
    loadedAccountsDataSizeLimit: 65_536,
    ...(priorityFee > 0n && { priorityFee }),
  };
}

interface Call {
  readonly program: string;
  readonly accounts: readonly string[];
  readonly data: Uint8Array;
}

function listCalls({ version, moves, memos, priorityFee, precompiled }: Plan): Call[] {
  const price = { program: COMPUTE_BUDGET, accounts: [], data: Uint8Array.from([3, ...u64(1n)]) };
  const check = { program: PRECOMPILE, accounts: [], data: Uint8Array.of(precompiled, 0) };
  return [
    // Version 1 ignores it.
    ...(priorityFee > 0n || version === 1 ? [price] : []),
    ...(precompiled > 0 ? [check] : []),
    ...moves.map(
      ({ mint, from, to, amount }): Call =>
        mint === undefined
          ? {
              program: SYSTEM_PROGRAM,
              accounts: [from.key, to.key],
              data: Uint8Array.from([2, 0, 0, 0, ...u64(amount)]),
            }
          : {
              program: TOKEN_PROGRAM,
              accounts: [from.accounts.get(mint)!, mint, to.accounts.get(mint)!, from.key],
              data: Uint8Array.from([12, ...u64(amount), DECIMALS]),
            },
    ),
    ...memos.map((text) => ({ program: MEMO_PROGRAM, accounts: [], data: Buffer.from(text) })),
  ];
}

/** The state that the drawn transactions change. */
class SpecBank {
  readonly #lamports = new Map<string, number>();
  readonly #tokens = new Map<string, { readonly mint: string; readonly owner: string; amount: bigint }>();

  constructor(wallets: readonly Wallet[]) {
    for (const { key, accounts } of wallets) {
      this.#lamports.set(key, 50_000_000_000);
      for (const [mint, account] of accounts) {
        this.#lamports.set(account, 2_039_280);
        this.#tokens.set(account, { mint, owner: key, amount: 1_000_000n });
      }
    }
  }

  apply({ payer, moves, isFailed }: Plan, fee: bigint): void {
    this.#add(payer.key, -fee);
    if (isFailed) return;
    for (const { mint, from, to, amount } of moves)
      if (mint === undefined) {
        this.#add(from.key, -amount);
        this.#add(to.key, amount);
      } else {
        this.#tokens.get(from.accounts.get(mint)!)!.amount -= amount;
        this.#tokens.get(to.accounts.get(mint)!)!.amount += amount;
      }
  }

  read(keys: readonly string[]): { lamports: number[]; tokens: NonNullable<RawMeta['preTokenBalances']> } {
    return {
      lamports: keys.map((key) => this.#lamports.get(key) ?? 1),
      tokens: keys.flatMap((key, accountIndex) => {
        const { mint, owner, amount } = this.#tokens.get(key) ?? {};
        return mint === undefined
          ? []
          : [{ accountIndex, mint, owner: owner!, uiTokenAmount: { amount: String(amount) } }];
      }),
    };
  }

  #add(key: string, lamports: bigint): void {
    this.#lamports.set(key, this.#lamports.get(key)! + Number(lamports));
  }
}

const drawKey = (random: SpecRandom): string => base58.encode(random.bytes(32));

function shuffle<T>(random: SpecRandom, items: readonly T[]): T[] {
  return items
    .map((item) => ({ item, order: random.next() }))
    .sort((one, other) => one.order - other.order)
    .map(({ item }) => item);
}

function u64(value: bigint): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(value);
  return bytes;
}
