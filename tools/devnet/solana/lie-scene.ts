// SPDX-License-Identifier: Apache-2.0
import { AddressLookupTableProgram, Keypair, SystemProgram, type PublicKey } from '@solana/web3.js';
import { startSolana, type SolanaHandle } from './start-solana.ts';
import * as token from './index.ts';

const SOL = 1_000_000_000;
const MINT_BYTES = 82;

/** A block with a transaction of each kind, on a node of its own. */
export interface SolanaScene {
  readonly node: SolanaHandle;
  /** Watched; is paid, pays, and holds tokens. */
  readonly alice: string;
  /** Watched; stands in transactions and gets nothing. */
  readonly erin: string;
  /** The block, one with a payment in an earlier block, and an empty one. */
  readonly slots: { readonly earlier: number; readonly full: number; readonly empty: number };
  /** Positions of transactions in the full block. */
  readonly at: Readonly<Record<'credit' | 'debit' | 'tokens' | 'failed' | 'loaded', number>>;
  /** Signs a payment to Erin that no block has. */
  invent(): Promise<string>;
  /** Alice pays three of her tokens to a stranger's account that is there already. @returns the slot */
  payTokens(): Promise<number>;
}

/** Keys of the parties; the payer is a stranger. */
interface Parties {
  readonly payer: Keypair;
  readonly alice: Keypair;
  readonly dave: PublicKey;
  readonly erin: PublicKey;
}

export async function makeScene(): Promise<SolanaScene> {
  const node = await startSolana();
  const [payer, alice, broke] = [Keypair.generate(), Keypair.generate(), Keypair.generate()];
  const parties = { payer, alice, dave: Keypair.generate().publicKey, erin: Keypair.generate().publicKey };
  for (const { publicKey } of [payer, alice]) await node.airdrop(publicKey, 100n * BigInt(SOL));
  for (const key of [parties.dave, parties.erin, broke.publicKey]) await node.airdrop(key, BigInt(SOL));
  await node.produce(2);
  const mint = await createMint(node, payer);
  const table = await createTable(node, payer, [alice.publicKey, parties.dave]);
  await node.send([pay(payer.publicKey, alice.publicKey, 4)], { payer });
  const earlier = (await node.produce()).slot;
  await sendAll(node, { ...parties, broke, mint, table });
  const full = (await node.produce()).slot;
  const empty = (await node.produce()).slot;
  return {
    node,
    alice: alice.publicKey.toBase58(),
    erin: parties.erin.toBase58(),
    slots: { earlier, full, empty },
    at: { credit: 0, debit: 1, tokens: 2, failed: 3, loaded: 4 },
    invent: () => invent(node, parties),
    payTokens: () => payTokens(node, { ...parties, mint }),
  };
}

const pay = (from: PublicKey, to: PublicKey, lamports: number) =>
  SystemProgram.transfer({ fromPubkey: from, toPubkey: to, lamports });

type Sending = Parties & {
  readonly broke: Keypair;
  readonly mint: PublicKey;
  readonly table: NonNullable<token.SendOptions['tables']>[number];
};

/** In the order of `at`. */
async function sendAll(
  node: SolanaHandle,
  { payer, alice, broke, dave, erin, mint, table }: Sending,
): Promise<void> {
  const from = payer.publicKey;
  await node.send([pay(from, alice.publicKey, 5_000), pay(from, dave, 9_000), pay(from, erin, 0)], { payer });
  await node.send([pay(alice.publicKey, dave, 700), pay(alice.publicKey, erin, 0)], { payer: alice });
  const account = token.associatedAccount(alice.publicKey, mint);
  await node.send(
    [
      token.createAssociatedAccount(from, { owner: alice.publicKey, mint }),
      token.mintTo(mint, { account, authority: from, amount: 33n }),
    ],
    { payer },
  );
  await node.send([pay(broke.publicKey, alice.publicKey, 50 * SOL)], { payer: broke, skipPreflight: true });
  await node.send([pay(from, alice.publicKey, 6_000), pay(from, dave, 8_000)], { payer, tables: [table] });
}

async function createMint(node: SolanaHandle, payer: Keypair): Promise<PublicKey> {
  const key = Keypair.generate();
  const create = SystemProgram.createAccount({
    fromPubkey: payer.publicKey,
    newAccountPubkey: key.publicKey,
    lamports: SOL / 10,
    space: MINT_BYTES,
    programId: token.TOKEN_PROGRAM,
  });
  const initialize = token.initializeMint(key.publicKey, { decimals: 6, authority: payer.publicKey });
  await node.send([create, initialize], { payer, signers: [key] });
  await node.produce();
  return key.publicKey;
}

async function createTable(
  node: SolanaHandle,
  payer: Keypair,
  addresses: PublicKey[],
): Promise<Sending['table']> {
  const recentSlot = (await node.call<number>('getSlot', [{ commitment: 'confirmed' }])) - 1;
  const authority = payer.publicKey;
  const [create, lookupTable] = AddressLookupTableProgram.createLookupTable({
    authority,
    payer: authority,
    recentSlot,
  });
  const extend = AddressLookupTableProgram.extendLookupTable({
    lookupTable,
    authority,
    payer: authority,
    addresses,
  });
  await node.send([create, extend], { payer });
  await node.produce(2);
  return (await node.connection.getAddressLookupTable(lookupTable)).value!;
}

/** A payment that is signed as it should be, and goes to a fork that the chain drops. @returns its bytes in base64 */
async function invent(node: SolanaHandle, { payer, erin }: Parties): Promise<string> {
  await node.send([pay(payer.publicKey, erin, 123_456)], { payer });
  await node.produce();
  const [bytes] = await node.fork(1);
  return Buffer.from(bytes!).toString('base64');
}

async function payTokens(
  node: SolanaHandle,
  { payer, alice, dave, mint }: Parties & Pick<Sending, 'mint'>,
): Promise<number> {
  await node.send([token.createAssociatedAccount(payer.publicKey, { owner: dave, mint })], { payer });
  await node.produce();
  const [from, to] = [alice.publicKey, dave].map((owner) => token.associatedAccount(owner, mint)) as [
    PublicKey,
    PublicKey,
  ];
  const transfer = token.transferChecked({ from, to, owner: alice.publicKey, mint, amount: 3n, decimals: 6 });
  await node.send([transfer], { payer, signers: [alice] });
  return (await node.produce()).slot;
}
