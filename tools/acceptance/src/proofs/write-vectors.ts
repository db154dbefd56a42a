/**
 * `node --import tsx tools/acceptance/src/proofs/write-vectors.ts`: writes libs/verify/vectors, which the verifiers of every
 * language are held to. The proofs come from an anvil and a bcoin that this starts; nothing is taken from a public chain.
 */
import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { repoDir } from '@chainwatch/host';
import { changeDigit } from '@chainwatch/testing';
import { InvalidProofError, verifyTransaction, type Proof, type ProvedTransaction } from '@chainwatch/verify';
import { Random } from '../random.ts';
import { proveBitcoin, proveEvm, type LocalProof } from './local-proofs.ts';

/** Positions that stand in the trie in different ways: keys of one, two, and (from 128 on) three bytes. */
const EVM_PLACES = [0, 1, 2, 3, 4, 5, 15, 16, 127, 128, 139];
const BITCOIN_PLACES = [0, 1, 2, 5, 10, 11];

async function write(name: string, proofs: readonly LocalProof[]): Promise<void> {
  const vectors: object[] = [];
  for (const { proof } of proofs) {
    const trusted = proof.block_hash;
    vectors.push({
      name: `the transaction at ${proof.item!.index}`,
      trusted_block_hash: trusted,
      proof,
      expected: toExpected(await verifyTransaction(proof, { trustedBlockHash: trusted })),
    });
  }
  const [first, second] = [proofs[1]!.proof, proofs[2]!.proof];
  for (const [kind, tampered] of Object.entries({ ...TAMPERINGS, ...OF_TYPE[name]! })) {
    const { proof, trusted } = { trusted: first.block_hash, ...tampered(first, second) };
    const refusal: unknown = await verifyTransaction(proof, { trustedBlockHash: trusted }).catch(
      (error: unknown) => error,
    );
    if (!(refusal instanceof InvalidProofError)) throw new Error(`${name}: expected ${kind} to be refused`);
    vectors.push({ name: kind, trusted_block_hash: trusted, proof, refused: refusal.message });
  }
  const path = join(repoDir, 'libs/verify/vectors', `${name}.json`);
  writeFileSync(path, `${JSON.stringify({ vectors }, null, 2)}\n`);
  console.log(`wrote ${path}: ${vectors.length} vectors`);
}

function toExpected({ index, isFailed, transfers }: ProvedTransaction): object {
  return {
    index,
    is_failed: isFailed,
    transfers: transfers.map(({ amountRaw, ...rest }) => ({ ...rest, amount_raw: String(amountRaw) })),
  };
}

type Tampered = { readonly proof: Proof; readonly trusted?: string };
type Tampering = (proof: Proof, other: Proof) => Tampered;

const withItem = (proof: Proof, item: Partial<NonNullable<Proof['item']>>): Proof => ({
  ...proof,
  item: { ...proof.item!, ...item },
});
const withBranch = (proof: Proof, branch: Partial<NonNullable<Proof['branch']>>): Proof => ({
  ...proof,
  branch: { ...proof.branch!, ...branch },
});
const changeLast = (nodes: readonly (string | null)[]): (string | null)[] =>
  nodes.map((node, at) => (at === nodes.length - 1 ? changeDigit(node!, 20) : node));

const TAMPERINGS: Readonly<Record<string, Tampering>> = {
  'another block is trusted': (proof) => ({ proof, trusted: changeDigit(proof.block_hash, 9) }),
  'a changed header': (proof) => ({ proof: { ...proof, header: changeDigit(proof.header!, 11) } }),
  'a changed header under its own hash': (proof) => {
    const changed = {
      ...proof,
      header: changeDigit(proof.header!, 11),
      block_hash: changeDigit(proof.block_hash, 9),
    };
    return { proof: changed, trusted: changed.block_hash };
  },
  'a shortened header': (proof) => ({ proof: { ...proof, header: proof.header!.slice(0, -2) } }),
  'a changed transaction': (proof) => ({
    proof: withItem(proof, { transaction: changeDigit(proof.item!.transaction, 40) }),
  }),
  'a transaction with a byte behind it': (proof) => ({
    proof: withItem(proof, { transaction: `${proof.item!.transaction}00` }),
  }),
  'the hash of another transaction': (proof, other) => ({ proof: { ...proof, hash: other.hash } }),
  'another place': (proof) => ({ proof: withItem(proof, { index: proof.item!.index + 1 }) }),
  'a place that the tree does not have': (proof) => ({ proof: withItem(proof, { index: 1_000_000 }) }),
  'a changed branch': (proof) => ({
    proof: withBranch(proof, { transaction: changeLast(proof.branch!.transaction) }),
  }),
  'the branch of another transaction': (proof, other) => ({
    proof: withBranch(proof, { transaction: other.branch!.transaction }),
  }),
  'a branch without its last node': (proof) => ({
    proof: withBranch(proof, { transaction: proof.branch!.transaction.slice(0, -1) }),
  }),
  'no branch': (proof) => ({ proof: withBranch(proof, { transaction: [] }) }),
  'a branch that is null': (proof) => ({ proof: { ...proof, branch: null } }),
  'digits that are none': (proof) => ({ proof: withItem(proof, { transaction: 'zz' }) }),
  'half a byte': (proof) => ({ proof: withItem(proof, { transaction: `${proof.item!.transaction}0` }) }),
  'a type that nobody knows': (proof) => ({ proof: { ...proof, type: 'verkle' } }),
  'no proof, with its reason': (proof) => ({
    proof: { ...proof, type: 'none', reason: 'The chain made this transaction itself.' },
  }),
};

const OF_TYPE: Readonly<Record<string, Readonly<Record<string, Tampering>>>> = {
  mpt: {
    'a changed number': (proof) => ({ proof: { ...proof, block_number: proof.block_number + 1 } }),
    'a changed receipt': (proof) => ({
      proof: withItem(proof, { receipt: changeDigit(proof.item!.receipt!, 6) }),
    }),
    'the receipt of another transaction': (proof, other) => ({
      proof: withItem(withBranch(proof, { receipt: other.branch!.receipt! }), {
        receipt: other.item!.receipt!,
      }),
    }),
    'another transaction of the block': (proof, other) => ({
      proof: withItem(withBranch(proof, { transaction: other.branch!.transaction }), {
        transaction: other.item!.transaction,
      }),
    }),
    'a changed branch of the receipt': (proof) => ({
      proof: withBranch(proof, { receipt: changeLast(proof.branch!.receipt!) }),
    }),
    'no receipt': ({ item, ...proof }) => ({
      proof: { ...proof, item: { index: item!.index, transaction: item!.transaction } },
    }),
    'a node behind the value': (proof) => ({
      proof: withBranch(proof, { receipt: [...proof.branch!.receipt!, '0xc0'] }),
    }),
    'an empty root': (proof) => ({ proof: withBranch(proof, { receipt: ['0x80'] }) }),
  },
  merkle: {
    'a changed coinbase': (proof) => ({
      proof: withItem(proof, { coinbase: changeDigit(proof.item!.coinbase!, 100) }),
    }),
    'a changed branch of the coinbase': (proof) => ({
      proof: withBranch(proof, { coinbase: changeLast(proof.branch!.coinbase!) }),
    }),
    'a shorter branch of both': (proof) => ({
      proof: withBranch(proof, {
        transaction: proof.branch!.transaction.slice(1),
        coinbase: proof.branch!.coinbase!.slice(1),
      }),
    }),
    'an inner node as a transaction': (proof) => ({ proof: toInnerNode(proof) }),
    'an inner node as a transaction, and one as the coinbase': (proof) => {
      const inner = toInnerNode(proof);
      return {
        proof: withItem(withBranch(inner, { coinbase: proof.branch!.coinbase!.slice(1) }), {
          coinbase: inner.item!.transaction,
        }),
      };
    },
    'no coinbase': ({ item, ...proof }) => ({
      proof: { ...proof, item: { index: item!.index, transaction: item!.transaction } },
    }),
    'another transaction as the coinbase': (proof) => ({
      proof: withItem(proof, { coinbase: proof.item!.transaction }),
    }),
  },
};

/** Two hashes of the lowest level: 64 bytes that hash to a node of the level above. */
function toInnerNode(proof: Proof): Proof {
  const { index } = proof.item!;
  const pair = [toBytesText(proof.hash), proof.branch!.transaction[0]!];
  const transaction = (index % 2 === 0 ? pair : pair.toReversed()).join('');
  const moved = withBranch(proof, { transaction: proof.branch!.transaction.slice(1) });
  return {
    ...withItem(moved, { index: Math.floor(index / 2), transaction }),
    hash: hash256Text(transaction),
  };
}

/** Hashes are written from their last byte on. */
function toBytesText(text: string): string {
  return Buffer.from(text, 'hex').reverse().toString('hex');
}

function hash256Text(bytes: string): string {
  const once = createHash('sha256').update(bytes, 'hex').digest();
  return createHash('sha256').update(once).digest().reverse().toString('hex');
}

const evm = await proveEvm({ count: 140, random: new Random(1) });
const bitcoin = await proveBitcoin({ count: 12, random: new Random(2) });
await write(
  'mpt',
  EVM_PLACES.map((at) => evm[at]!),
);
await write(
  'merkle',
  BITCOIN_PLACES.map((at) => bitcoin[at]!),
);
