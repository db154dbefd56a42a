// SPDX-License-Identifier: Apache-2.0
import { PublicKey } from '@solana/web3.js';
import type { TokenMetadata } from '@chainwatch/chain-core';
import { METADATA_PROGRAM, TOKEN_2022_PROGRAM, TOKEN_PROGRAM } from './programs.ts';
import { readAccounts, type ChainAccount } from './read-accounts.ts';
import type { Session } from './session.ts';
import {
  findExtensionNames,
  findUiMultiplier,
  parseMetaplexNames,
  parseMintDecimals,
} from './token-metadata.ts';

const METADATA_SEED = Buffer.from('metadata');
const METADATA_PROGRAM_KEY = new PublicKey(METADATA_PROGRAM);

/** Metadata of mints, in order; undefined: not a mint. Names come from the mint (Token-2022), else from Metaplex, else they are empty. */
export async function readTokens(
  session: Session,
  assetGids: readonly string[],
  signal?: AbortSignal,
): Promise<(TokenMetadata | undefined)[]> {
  const prefix = `${session.network.gid}/${session.network.tokenNamespace}:`;
  const mints = [
    ...new Set(assetGids.filter((gid) => gid.startsWith(prefix)).map((gid) => gid.slice(prefix.length))),
  ];
  const keys = mints.flatMap((mint) => [mint, metadataAddress(mint)]);
  const accounts = await readAccounts(session, keys, { signal });
  const tokens = new Map(
    mints.map((mint, position) => [
      `${prefix}${mint}`,
      toToken(mint, accounts[2 * position]!.value, accounts[2 * position + 1]!.value),
    ]),
  );
  return assetGids.map((gid) => tokens.get(gid));
}

function metadataAddress(mint: string): string {
  const seeds = [METADATA_SEED, METADATA_PROGRAM_KEY.toBytes(), new PublicKey(mint).toBytes()];
  return PublicKey.findProgramAddressSync(seeds, METADATA_PROGRAM_KEY)[0].toBase58();
}

function toToken(
  mint: string,
  account: ChainAccount | null,
  metadata: ChainAccount | null,
): TokenMetadata | undefined {
  if (account === null || (account.owner !== TOKEN_PROGRAM && account.owner !== TOKEN_2022_PROGRAM))
    return undefined;
  const decimals = parseMintDecimals(account.data);
  if (decimals === undefined) return undefined;
  const names =
    findExtensionNames(account.data) ??
    (metadata?.owner === METADATA_PROGRAM ? parseMetaplexNames(metadata.data, mint) : undefined);
  const symbol = names?.symbol ?? '';
  const uiMultiplier = account.owner === TOKEN_2022_PROGRAM ? findUiMultiplier(account.data) : undefined;
  return {
    name: names?.name || symbol,
    symbol,
    decimals,
    ...(uiMultiplier !== undefined && { uiMultiplier }),
  };
}
