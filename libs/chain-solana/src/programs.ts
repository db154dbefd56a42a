import { base58 } from '@scure/base';

export const SYSTEM_PROGRAM = '11111111111111111111111111111111';
export const TOKEN_PROGRAM = 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA';
export const TOKEN_2022_PROGRAM = 'TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb';
export const METADATA_PROGRAM = 'metaqbxxUerdq28cj1RbAWkYQm3ybzjb6a8bt518x1s';
export const VOTE_PROGRAM = 'Vote111111111111111111111111111111111111111';
export const VOTE_PROGRAM_BYTES = base58.decode(VOTE_PROGRAM);
/** They check signatures that an instruction carries, and each costs like one of the transaction's own. */
export const PRECOMPILES: ReadonlySet<string> = new Set([
  'Ed25519SigVerify111111111111111111111111111',
  'KeccakSecp256k11111111111111111111111111111',
  'Secp256r1SigVerify1111111111111111111111111',
]);
export const PRECOMPILES_BYTES: readonly Uint8Array[] = Array.from(PRECOMPILES, (key) => base58.decode(key));
