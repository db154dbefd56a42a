// SPDX-License-Identifier: Apache-2.0
/** A proof as `GET /transactions/{chain_gid}/{hash}/proof` answers it. */
export interface Proof {
  readonly type: string;
  readonly chain_gid: string;
  readonly hash: string;
  readonly block_hash: string;
  readonly block_number: number;
  readonly header: string | null;
  readonly signature?: string;
  readonly branch: {
    readonly transaction: readonly (string | null)[];
    readonly receipt?: readonly (string | null)[];
    readonly coinbase?: readonly (string | null)[];
  } | null;
  readonly item: {
    readonly index: number;
    readonly transaction: string;
    readonly receipt?: string;
    readonly coinbase?: string;
  } | null;
  readonly reason?: string | null;
}

/** Money that the proof itself shows to move, decoded from its bytes. */
export interface ProvedTransfer {
  /** `native`: the coin of the chain; `token`: `token` says which. */
  readonly type: 'native' | 'token';
  /** The contract (EVM, lower case) or the id of the token (TRON). */
  readonly token?: string;
  /** Absent where the bytes do not tell: the sender of a payment follows from signatures, which are not checked. */
  readonly from?: string;
  /** EVM: lower case; TRON: hexadecimal, `41…`; Bitcoin: absent, `script` says whom it pays. */
  readonly to?: string;
  /** Bitcoin: the script of the output, hexadecimal. */
  readonly script?: string;
  /** Base units. */
  readonly amountRaw: bigint;
}

export interface ProvedTransaction {
  readonly chainGid: string;
  readonly hash: string;
  readonly blockHash: string;
  readonly blockNumber: number;
  /** Position in the block, from 0. On TRON the tree does not prove it. */
  readonly index: number;
  /** Whether it failed, which moves nothing. Bitcoin's never do; before Byzantium (2017) no receipt says it, and no payment is shown. */
  readonly isFailed: boolean;
  readonly transfers: readonly ProvedTransfer[];
  /**
   * TRON: who made the block and whose key signed it, hexadecimal, `41…`. They differ where the producer's account lets
   * another key sign, which only the chain's state tells: compare the signer with one that you know.
   */
  readonly producer?: { readonly address: string; readonly signer: string };
}

/** The proof does not show what it says. */
export class InvalidProofError extends Error {
  override readonly name = 'InvalidProofError';
}

export function fail(message: string): never {
  throw new InvalidProofError(message);
}

/** What a proof shows, of what it says and what its bytes say. */
export function toProved(
  { chain_gid: chainGid, hash, block_hash: blockHash, block_number: blockNumber }: Proof,
  shown: Omit<ProvedTransaction, 'chainGid' | 'hash' | 'blockHash' | 'blockNumber'>,
): ProvedTransaction {
  return { chainGid, hash, blockHash, blockNumber, ...shown };
}

/** Why the service could not prove it, in its own words. Undefined: it says none. */
export const reasonOf = ({ reason }: Proof): string | undefined =>
  typeof reason === 'string' ? reason : undefined;

/** Members that proofs of this type have. @throws InvalidProofError */
export function partsOf(proof: Proof): {
  readonly header: string;
  readonly branch: NonNullable<Proof['branch']>;
  readonly item: NonNullable<Proof['item']>;
} {
  const { type, header, branch, item } = proof;
  if (header === null || branch === null || item === null)
    return fail(reasonOf(proof) ?? `a proof of type ${type} needs header, branch and item`);
  if (!Number.isSafeInteger(item.index) || item.index < 0)
    fail(`item.index: expected a position, got ${item.index}`);
  return { header, branch, item };
}
