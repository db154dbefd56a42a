// SPDX-License-Identifier: Apache-2.0
/**
 * `node --import tsx tools/acceptance/src/proofs/write-vectors.ts`: writes libs/verify/vectors, which the verifiers of every
 * language are held to. The proofs come from an anvil, a bcoin, and a local TRON node that this starts; nothing is taken from a
 * public chain. With names (`signed_merkle`), it writes those alone.
 */
import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { repoDir } from '@chainwatch/testing/host';
import { changeDigit } from '@chainwatch/testing';
import { InvalidProofError, verifyTransaction, type Proof, type ProvedTransaction } from '@chainwatch/verify';
import { keccak256, toHex, toRlp, type Hex } from 'viem';
import { Random } from '../random.ts';
import { proveBitcoin, proveEvm, proveTron, type LocalProof } from './local-proofs.ts';

/** Positions that stand in the trie in different ways: keys of one, two, and (from 128 on) three bytes. */
const EVM_PLACES = [0, 1, 2, 3, 4, 5, 15, 16, 127, 128, 139];
const BITCOIN_PLACES = [0, 1, 2, 5, 10, 11];
/** The last one of 21 goes up twice as it is. */
const TRON_PLACES = [0, 1, 2, 5, 6, 7, 8, 9, 10, 11, 20];

async function write(name: string, proofs: readonly LocalProof[]): Promise<void> {
  const vectors: object[] = [];
  for (const { proof } of proofs) {
    const trusted = proof.block_hash;
    vectors.push({
      name: `the transaction at ${proof.item!.index} of block ${proof.block_number}`,
      trusted_block_hash: trusted,
      proof,
      expected: toExpected(await verifyTransaction(proof, { trustedBlockHash: trusted })),
    });
  }
  const [first, second] = [proofs[1]!.proof, proofs[2]!.proof];
  const last = proofs.at(-1)!.proof;
  for (const [kind, changed] of Object.entries(STILL_SHOWN[name] ?? {})) {
    const proof = changed(first);
    const trusted = proof.block_hash;
    const shown = await verifyTransaction(proof, { trustedBlockHash: trusted });
    vectors.push({ name: kind, trusted_block_hash: trusted, proof, expected: toExpected(shown) });
  }
  for (const [kind, tampered] of Object.entries({ ...TAMPERINGS, ...OF_TYPE[name]! })) {
    const { proof, trusted } = { trusted: first.block_hash, ...tampered(first, second, last) };
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

function toExpected({ index, isFailed, producer, transfers }: ProvedTransaction): object {
  return {
    index,
    is_failed: isFailed,
    producer,
    transfers: transfers.map(({ amountRaw, ...rest }) => ({ ...rest, amount_raw: String(amountRaw) })),
  };
}

type Tampered = { readonly proof: Proof; readonly trusted?: string };
type Tampering = (proof: Proof, other: Proof, last: Proof) => Tampered;

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
  'a changed number': (proof) => ({ proof: { ...proof, block_number: proof.block_number + 1 } }),
  'a type that every object has': (proof) => ({ proof: { ...proof, type: 'constructor' } }),
  'a type that nobody knows': (proof) => ({ proof: { ...proof, type: 'verkle' } }),
  'no proof, with its reason': (proof) => ({
    proof: { ...proof, type: 'none', reason: 'The chain made this transaction itself.' },
  }),
};

/** What a proof shows all the same. */
const STILL_SHOWN: Readonly<Record<string, Readonly<Record<string, (proof: Proof) => Proof>>>> = {
  signed_merkle: {
    'no signature': ({ signature: _, ...proof }) => proof,
    'a signature of another key': (proof) => ({ ...proof, signature: otherKey(proof.signature!) }),
    'a recovery id as Ethereum writes it': (proof) => ({
      ...proof,
      signature: proof.signature!.slice(0, -2) + (27 + Number(proof.signature!.slice(-2))).toString(16),
    }),
  },
};

/** The same numbers are the signature of a second key. */
function otherKey(signature: string): string {
  return signature.slice(0, -2) + (signature.endsWith('00') ? '01' : '00');
}

const OF_TYPE: Readonly<Record<string, Readonly<Record<string, Tampering>>>> = {
  mpt: {
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
  signed_merkle: {
    'a changed result': (proof) => ({
      proof: withItem(proof, {
        transaction: changeDigit(proof.item!.transaction, -1 + proof.item!.transaction.length),
      }),
    }),
    'a result behind the one that the tree covers': (proof) => ({
      proof: withItem(proof, { transaction: `${proof.item!.transaction}2a021801` }),
    }),
    'another transaction of the block': (proof, other) => ({
      proof: withItem(withBranch(proof, { transaction: other.branch!.transaction }), {
        transaction: other.item!.transaction,
      }),
    }),
    'no sibling where the tree has one': (proof) => ({
      proof: withBranch(proof, { transaction: [null, ...proof.branch!.transaction.slice(1)] }),
    }),
    'a sibling where the tree has none': (proof, other, last) => ({
      proof: withBranch(last, {
        transaction: last.branch!.transaction.map((each) => each ?? other.branch!.transaction[0]!),
      }),
    }),
    'a level less where the tree has no sibling': (proof, other, last) => ({
      proof: withBranch(last, { transaction: last.branch!.transaction.filter((each) => each !== null) }),
    }),
    'a sibling of 31 bytes': (proof) => ({
      proof: withBranch(proof, {
        transaction: [proof.branch!.transaction[0]!.slice(2), ...proof.branch!.transaction.slice(1)],
      }),
    }),
    'a signature of 64 bytes': (proof) => ({
      proof: { ...proof, signature: proof.signature!.slice(2) },
    }),
    'a signature that no key makes': (proof) => ({ proof: { ...proof, signature: '00'.repeat(65) } }),
  },
};

/** A block of before Byzantium, made here: the transaction used all of its gas, and its receipt does not say that it failed. */
function makeOldProof(): LocalProof {
  const transaction = toRlp([
    ...['0x', '0x01', '0xc350', `0x${'11'.repeat(20)}`, '0x4563918244f40000', '0x', '0x1b'],
    ...[`0x${'22'.repeat(32)}`, `0x${'33'.repeat(32)}`],
  ] as Hex[]);
  const receipt = toRlp([`0x${'44'.repeat(32)}`, '0xc350', `0x${'00'.repeat(256)}`, []]);
  // A trie of one leaf: the key is the RLP of 0, behind the sign of a leaf of an even length.
  const [transactions, receipts] = [transaction, receipt].map((value) => toRlp(['0x2080', value])) as [
    Hex,
    Hex,
  ];
  const number = 4_369_999;
  const header = toRlp([
    ...[`0x${'55'.repeat(32)}`, `0x${'66'.repeat(32)}`, `0x${'77'.repeat(20)}`, `0x${'88'.repeat(32)}`],
    ...[keccak256(transactions), keccak256(receipts), `0x${'00'.repeat(256)}`, '0x01', toHex(number)],
  ] as Hex[]);
  const proof = {
    ...{ type: 'mpt', chain_gid: 'eip155:1', hash: keccak256(transaction), block_hash: keccak256(header) },
    ...{ block_number: number, header, branch: { transaction: [transactions], receipt: [receipts] } },
    item: { index: 0, transaction, receipt },
  };
  return { proof } as unknown as LocalProof;
}

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

const KINDS: Readonly<Record<string, () => Promise<readonly LocalProof[]>>> = {
  mpt: async () => {
    const proofs = await proveEvm({ count: 140, random: new Random(1) });
    return [...EVM_PLACES.map((at) => proofs[at]!), makeOldProof()];
  },
  merkle: async () => {
    const proofs = await proveBitcoin({ count: 12, random: new Random(2) });
    return BITCOIN_PLACES.map((at) => proofs[at]!);
  },
  signed_merkle: async () => {
    const proofs = await proveTron({ count: 21, random: new Random(3) });
    return TRON_PLACES.map((at) => proofs[at]!);
  },
};

const names = process.argv.slice(2);
for (const name of names.length > 0 ? names : Object.keys(KINDS)) await write(name, await KINDS[name]!());
