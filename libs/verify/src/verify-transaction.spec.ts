// SPDX-License-Identifier: Apache-2.0
import fc from 'fast-check';
import { InvalidProofError, type Proof } from './proof.ts';
import { verifyTransaction } from './verify-transaction.ts';

// Proofs of blocks are verified where their families build them: libs/chain-*/src/read-proof*.spec.ts.

const PROOF: Proof = {
  type: 'none',
  chain_gid: 'solana:localnet',
  hash: '5gri',
  block_hash: 'HGGVVJkz',
  block_number: 6,
  header: null,
  branch: null,
  item: null,
  reason: 'A block of Solana covers no tree.',
};
const trust = { trustedBlockHash: '0xab' };

it('says why there is no proof, whatever is trusted', async () => {
  await expect(verifyTransaction(PROOF, trust)).rejects.toThrow('A block of Solana covers no tree.');
});

it('refuses a type that it does not know, and a proof without its parts', async () => {
  await expect(verifyTransaction({ ...PROOF, type: 'verkle', reason: null }, trust)).rejects.toThrow(
    'type: verkle is not known here',
  );
  for (const type of ['mpt', 'merkle', 'signed_merkle'])
    await expect(
      verifyTransaction({ ...PROOF, type, block_hash: '0xab', reason: null }, trust),
    ).rejects.toThrow(`a proof of type ${type} needs header, branch and item`);
});

/** Turns into a text by no means: JSON can say it. */
const POISON = { toString: false, valueOf: 0 };
const NAMES = [
  ...['type', 'chain_gid', 'hash', 'block_hash', 'block_number', 'header', 'branch', 'item'],
  ...['signature', 'reason'],
] as const;

it('refuses whatever else it is given as no proof', async () => {
  const member = fc.oneof(fc.anything(), fc.constantFrom<unknown>('0xc0', '00'.repeat(80), '0x', POISON));
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom('mpt', 'merkle', 'signed_merkle'),
      fc.dictionary(fc.constantFrom(...NAMES), member),
      async (type, members) => {
        const proof = { ...PROOF, type, block_hash: '0xab', ...members } as unknown as Proof;
        await expect(verifyTransaction(proof, trust)).rejects.toThrow(InvalidProofError);
      },
    ),
    { numRuns: 1_000 },
  );
});

it.each(NAMES)('refuses a proof whose %s turns into no text', async (name) => {
  for (const type of ['none', 'mpt', 'merkle', 'signed_merkle'])
    await expect(
      verifyTransaction({ ...PROOF, type, block_hash: '0xab', [name]: POISON }, trust),
    ).rejects.toThrow(InvalidProofError);
});

it.each([null, undefined, 'proof', 5])('refuses %s, which is no proof', async (proof) => {
  await expect(verifyTransaction(proof as unknown as Proof, trust)).rejects.toThrow('expected a proof');
});

it.each(Object.getOwnPropertyNames(Object.prototype))(
  'shows nothing of a proof whose type is %s, which every object has',
  async (type) => {
    const forged = {
      ...{ ...PROOF, type, reason: null, block_hash: '0xab', isFailed: false },
      transfers: [{ type: 'token', token: '0xdac1', to: '0x11', amountRaw: 10n ** 12n }],
    };
    await expect(verifyTransaction(forged, trust)).rejects.toThrow(InvalidProofError);
  },
);

it('asks for no hash of a number that is none, and says what it got in place of a hash', async () => {
  const getBlockHash = jest.fn(() => null as unknown as string);
  for (const number of ['latest', '../x', -1, 1.5, Number.NaN, 2 ** 53])
    await expect(
      verifyTransaction({ ...PROOF, type: 'merkle', block_number: number as number }, { getBlockHash }),
    ).rejects.toThrow('block_number: expected a whole number');
  expect(getBlockHash).not.toHaveBeenCalled();
  await expect(verifyTransaction({ ...PROOF, type: 'merkle' }, { getBlockHash })).rejects.toThrow(
    'block_hash: expected the hash that you trust, got null',
  );
});
