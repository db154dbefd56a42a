// SPDX-License-Identifier: Apache-2.0
import { PublicKey } from '@solana/web3.js';

export const METAPLEX_PROGRAM = new PublicKey('metaqbxxUerdq28cj1RbAWkYQm3ybzjb6a8bt518x1s');

interface Metadata {
  readonly mint: PublicKey;
  readonly authority: PublicKey;
  /** Bytes: what is no text is written too. */
  readonly name: string | Buffer;
  readonly symbol: string | Buffer;
  readonly uri?: string;
}

/** `MetadataV1`, and the widths to which its program fills texts up with zero bytes (Metaplex token metadata, `Metadata`). */
const METADATA_KEY = 4;
const WIDTHS = { name: 32, symbol: 10, uri: 200 };
const ACCOUNT_BYTES = 679;

/** Where the program keeps the metadata of a mint. */
export function metaplexAddress(mint: PublicKey): PublicKey {
  return PublicKey.findProgramAddressSync(
    [Buffer.from('metadata'), METAPLEX_PROGRAM.toBytes(), mint.toBytes()],
    METAPLEX_PROGRAM,
  )[0];
}

/** The account's data as the program writes it, without creators, collection and uses. */
export function encodeMetaplexMetadata({ mint, authority, name, symbol, uri = '' }: Metadata): Buffer {
  const data = Buffer.alloc(ACCOUNT_BYTES);
  const texts = [
    encodeText(name, WIDTHS.name),
    encodeText(symbol, WIDTHS.symbol),
    encodeText(uri, WIDTHS.uri),
  ];
  Buffer.concat([Uint8Array.of(METADATA_KEY), authority.toBytes(), mint.toBytes(), ...texts]).copy(data);
  return data;
}

function encodeText(text: string | Buffer, width: number): Buffer {
  const encoded = Buffer.alloc(4 + width);
  encoded.writeUInt32LE(width);
  (typeof text === 'string' ? Buffer.from(text) : text).copy(encoded, 4, 0, width);
  return encoded;
}
