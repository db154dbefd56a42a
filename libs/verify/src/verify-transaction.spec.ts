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

it('refuses whatever else it is given as no proof', async () => {
  const member = fc.oneof(fc.anything(), fc.constantFrom('0xc0', '00'.repeat(80), '0x'));
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom('mpt', 'merkle', 'signed_merkle'),
      fc.record({ header: member, branch: member, item: member, signature: member, block_number: member }),
      async (type, members) => {
        const proof = { ...PROOF, ...members, type, block_hash: '0xab' } as unknown as Proof;
        await expect(verifyTransaction(proof, trust)).rejects.toThrow(InvalidProofError);
      },
    ),
    { numRuns: 500 },
  );
});
