// SPDX-License-Identifier: Apache-2.0
import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { once } from 'node:events';
import { base58 } from '@scure/base';
import {
  isPlain,
  makeSolanaBlock,
  modernize,
  readRecorded,
  resign,
  rewardOf,
  type SolanaEntry,
} from './make-solana-block.ts';

/** Of version 1. */
const NEWEST_SHARE = 0.4;
const PAYERS = 1_000;

interface ChainShape {
  readonly blocks: number;
  /** Of each block, without votes. */
  readonly transactions: number;
  /** Those of `transactions` that a watched address pays for. */
  readonly hits: number;
}

interface SolanaChain {
  readonly first: number;
  /** Who pays for the hits, in turn. */
  readonly payers: readonly string[];
}

/**
 * Writes blocks for replay-solana.mjs. The transactions that concern nobody are the same in every block, because the
 * fixed part is megabytes; the hits are signed anew in each.
 */
export async function writeSolanaChain(
  fixtures: string,
  file: string,
  { blocks, transactions, hits }: ChainShape,
): Promise<SolanaChain> {
  const others = transactions - hits;
  const { text, slot } = makeSolanaBlock(fixtures, {
    votes: 0,
    others,
    newest: Math.round(others * NEWEST_SHARE),
  });
  const fixed = (JSON.parse(text) as { result: { transactions: readonly SolanaEntry[] } }).result
    .transactions;
  // Of a failed one `transaction.failed` is told.
  const moving = readRecorded(fixtures).moving.filter(({ meta }) => meta.err === null);
  const plain = moving.filter(isPlain);
  const keys = Array.from({ length: PAYERS }, () => generateKeyPairSync('ed25519'));
  const output = createWriteStream(file);
  const write = async (line: string): Promise<void> => {
    if (!output.write(`${line}\n`)) await once(output, 'drain');
  };
  await write(listOf(fixed));
  let turn = 0;
  for (let at = 0; at < blocks; at += 1) {
    const own = Array.from({ length: hits }, (_, index) => {
      const key = keys[turn % PAYERS]!;
      turn += 1;
      return index < hits * NEWEST_SHARE
        ? modernize(plain[turn % plain.length]!, key)
        : resign(moving[turn % moving.length]!, key);
    });
    const block = [slot + at, base58.encode(randomBytes(32)), rewardOf([...fixed, ...own])];
    await write(`${JSON.stringify(block)}\t${listOf(own)}`);
  }
  output.end();
  await once(output, 'finish');
  const toAddress = ({ publicKey }: (typeof keys)[number]): string =>
    base58.encode(Buffer.from(publicKey.export({ format: 'jwk' }).x!, 'base64url'));
  return { first: slot, payers: keys.map(toAddress) };
}

function listOf(entries: readonly SolanaEntry[]): string {
  return JSON.stringify(entries).slice(1, -1);
}
