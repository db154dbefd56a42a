import { readFileSync } from 'node:fs';
import type { ChainFamilyName } from '@chainwatch/chain-core';
import type { Exchange } from './replay-node.ts';

/** What a family brings to its contract. */
interface ContractFixture {
  /** The local network of the recording (`<family>.json` beside this file), and another one of the family. */
  readonly network: string;
  readonly otherNetwork: string;
  readonly addresses: readonly {
    readonly input: string;
    readonly canonical: string;
    readonly display: string;
  }[];
  /** Written with a checksum: no character can be another one. */
  readonly checksummed: readonly string[];
  /** A token as a path writes it, and its CAIP-19 gid, where the family has tokens. */
  readonly token?: { readonly path: string; readonly gid: string };
  /** Methods, and fields of answers, that no header commits to: a node is believed there. */
  readonly unproved?: readonly string[];
  /** Block by a hash that nobody has. */
  readonly unknownHash: string;
}

/** Said by a local node of the family with at least three blocks above genesis; some payments are in the last one. */
export interface Recording {
  readonly head: { readonly number: number; readonly hash: string };
  readonly exchanges: readonly Exchange[];
}

/** Families that follow chains. A new one brings a line here and a recording: CONTRACT_RECORD_URL=<node> writes it. */
export const fixtures: Partial<Record<ChainFamilyName, ContractFixture>> = {
  evm: {
    network: 'anvil',
    otherNetwork: 'ethereum',
    addresses: [
      {
        input: '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
        canonical: '0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed',
        display: '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
      },
      {
        input: '0xfb6916095ca1df60bb79ce92ce3ea74c37c5d359',
        canonical: '0xfb6916095ca1df60bb79ce92ce3ea74c37c5d359',
        display: '0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359',
      },
    ],
    checksummed: ['0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'],
    token: {
      path: 'erc20:0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
      gid: 'eip155:31337/erc20:0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed',
    },
    unproved: ['trace_block', 'effectiveGasPrice'],
    unknownHash: `0x${'ab'.repeat(32)}`,
  },
  bitcoin: {
    network: 'bitcoin-regtest',
    otherNetwork: 'bitcoin',
    addresses: [
      {
        input: 'BCRT1QW508D6QEJXTDG4Y5R3ZARVARY0C5XW7KYGT080',
        canonical: 'bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080',
        display: 'bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080',
      },
      {
        input: '1BvBMSEYstWetqTFn5Au4m4GFg7xJaNVN2',
        canonical: '1BvBMSEYstWetqTFn5Au4m4GFg7xJaNVN2',
        display: '1BvBMSEYstWetqTFn5Au4m4GFg7xJaNVN2',
      },
    ],
    checksummed: [
      'bc1p5cyxnuxmeuwuvkwfem96lqzszd02n6xdcjrs20cac6yqjjwudpxqkedrcr',
      'bc1qcr8te4kr609gcawutmrza0j4xv80jy8z306fyu',
      '3P14159f73E4gFr7JterCCQh9QjiTjiZrG',
    ],
    unknownHash: 'ab'.repeat(32),
  },
  solana: {
    network: 'solana-local',
    otherNetwork: 'solana',
    addresses: [
      {
        input: 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v',
        canonical: 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v',
        display: 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v',
      },
    ],
    checksummed: [],
    token: {
      path: 'token:EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v',
      gid: 'solana:localnet/token:EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v',
    },
    // The parent and the time are the header's, whose link to the next one the ingestor checks; the rest is no root's (ADR 6).
    unproved: ['previousBlockhash', 'parentSlot', 'blockTime', '.rewards', 'TokenBalances'],
    unknownHash: 'J'.repeat(43),
  },
  tron: {
    network: 'tron-local',
    otherNetwork: 'tron',
    addresses: [
      {
        input: 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t',
        canonical: 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t',
        display: 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t',
      },
      {
        input: '41A614F803B6FD780986A42C78EC9C7F77E6DED13C',
        canonical: 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t',
        display: 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t',
      },
    ],
    checksummed: ['TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t'],
    token: {
      path: 'trc20:41a614f803b6fd780986a42c78ec9c7f77e6ded13c',
      gid: 'tron:0x7a69/trc20:TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t',
    },
    unproved: [
      '.fee',
      ' without fee',
      '.log',
      ' without log',
      '.internal_transactions',
      ' without internal_transactions',
    ],
    unknownHash: 'ab'.repeat(32),
  },
};

export function readRecording(family: ChainFamilyName): Recording {
  return JSON.parse(readFileSync(recordingFile(family), 'utf8')) as Recording;
}

export function recordingFile(family: ChainFamilyName): URL {
  return new URL(`./${family}.json`, import.meta.url);
}
