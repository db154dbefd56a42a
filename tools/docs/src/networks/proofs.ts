// SPDX-License-Identifier: Apache-2.0
/** What a network's blocks are proved by, and what this was tested with. */
export interface NetworkProofs {
  readonly proofs: readonly Proof[];
  /** What nothing proves, or nothing proved so far; sentences. */
  readonly open: string;
}

export interface Proof {
  readonly what: string;
  readonly by: string;
  /** `recorded`: parts of a real block, with where they were recorded; `generated`: blocks in the published format. */
  readonly tested: string;
}

const HASH = 'Hash of the header';
const TRANSACTIONS = 'Transactions';
const RECEIPTS = 'Receipts, logs, bloom';
const GENERATED = 'generated';

const plain = (headers = 'its fields, in Ethereum’s form'): Proof[] => [
  { what: HASH, by: headers, tested: GENERATED },
  { what: TRANSACTIONS, by: 'transactions root', tested: GENERATED },
  { what: RECEIPTS, by: 'receipts root', tested: GENERATED },
];

const opStack = (headers: string, deposits: string): Proof[] => [
  { what: HASH, by: 'its fields, as on the OP Stack', tested: headers },
  { what: TRANSACTIONS, by: 'transactions root, deposits (type 0x7E) included', tested: deposits },
  {
    what: RECEIPTS,
    by: 'receipts root, with nonce and version of a deposit',
    tested: GENERATED,
  },
];

const NO_BLOCK = 'No block was recorded.';

/** By the name of the network, for those that came with this page's tables. */
export const PROOFS: Readonly<Record<string, NetworkProofs>> = {
  celo: {
    proofs: [
      { what: HASH, by: 'its fields, as on the OP Stack, from block 31056500 on', tested: GENERATED },
      {
        what: TRANSACTIONS,
        by: 'transactions root; type 0x7B (CIP-64) with its sender’s signature',
        tested: 'recorded: hash and sender of one (celo-org/celo-kona, block 36520387); blocks generated',
      },
      {
        what: RECEIPTS,
        by: 'receipts root; of type 0x7B with the base fee in the token',
        tested: 'the encoding of celo-kona’s own test; blocks generated',
      },
      {
        what: 'A fee in a token',
        by: 'logs of the receipt: the fee is told in the token whose contract logs it, never in CELO; what others get of it is a `reward`',
        tested: GENERATED,
      },
      {
        what: 'CELO moved by its ERC-20 (0x471e…a438)',
        by: 'logs: told once, as the native coin; no trace shows it',
        tested: 'recorded: a trace (celo-org/op-geth); blocks generated',
      },
    ],
    open: 'Before block 31056500 Celo was a chain of its own, with other headers and receipts: there the node’s word stands for header and roots, and only blooms are compared. Where a receipt does not show the base fee, and the price was the cap of the transaction, the block is `unproved` (`receipt-encoding:0x7b`). A fee in a token that does not log it is not told.',
  },
  scroll: {
    proofs: [
      {
        what: HASH,
        by: 'its fields, in Ethereum’s form',
        tested: 'recorded: the block below; blocks generated',
      },
      {
        what: TRANSACTIONS,
        by: 'transactions root; messages from L1 (type 0x7E) in Scroll’s own encoding',
        tested:
          'recorded: hash of a message (scroll-tech/reth, block 12063009), and a block (scroll-tech/scroll, blockTrace_02)',
      },
      { what: RECEIPTS, by: 'receipts root', tested: 'recorded: that block; blocks generated' },
    ],
    open: 'The L1 fee is the node’s word. The recorded block is of a test network in 2022; of the network itself there is one message, and no block.',
  },
  unichain: { proofs: opStack(GENERATED, GENERATED), open: NO_BLOCK },
  worldchain: { proofs: opStack(GENERATED, GENERATED), open: NO_BLOCK },
  megaeth: {
    proofs: opStack(
      'recorded: headers 7301260 and 10000001 (megaeth-labs/stateless-validator)',
      'recorded: a deposit and a transaction of the chain’s own account in block 10000001; blocks generated',
    ),
    open: 'No receipts were recorded. Transactions of 0xa887…bd1d, by which the chain keeps its oracle, cost nothing; that no root covers.',
  },
  monad: {
    proofs: [
      ...plain(),
      {
        what: 'Fees',
        by: 'gas that was charged, which is the limit and in the receipts root, and the price of bid and base fee',
        tested: GENERATED,
      },
    ],
    open: 'No block was recorded. The state root is that of a block before, which no proof here needs. What the staking contract pays shows in no trace: only readings of the balance tell it. `latest` is a proposal, which may be replaced; `safe` was voted for.',
  },
  plasma: { proofs: plain(), open: NO_BLOCK },
  sonic: {
    proofs: plain('its fields, in Ethereum’s form; epoch and nanoseconds stand beside them'),
    open: NO_BLOCK,
  },
  berachain: {
    proofs: [
      {
        what: HASH,
        by: 'its fields, with the key of the parent’s proposer behind the hash of the requests',
        tested: GENERATED,
      },
      {
        what: TRANSACTIONS,
        by: 'transactions root; the proof of liquidity (type 0x7E) in Berachain’s own encoding',
        tested: 'made by bera-geth: one with its hash (berachain/bera-reth); blocks generated',
      },
      { what: RECEIPTS, by: 'receipts root', tested: GENERATED },
      { what: 'Withdrawals', by: 'withdrawals root', tested: GENERATED },
    ],
    open: NO_BLOCK,
  },
  hyperevm: {
    proofs: [
      ...plain(),
      {
        what: 'Payments from HyperCore (system transactions)',
        by: 'nothing: they are `attested`, and stand behind the transactions that the roots cover',
        tested: 'generated, in both views of its nodes',
      },
    ],
    open: 'No block was recorded. Nodes serve blocks with system transactions or without; header, roots and bloom are those without. Through a node that leaves them out, payments of HYPE from HyperCore show as `adjustment` alone, and those of tokens when the balance is read next. The public endpoint has balances of the newest block only: others need an archive node.',
  },
  arc: {
    proofs: [
      ...plain(),
      {
        what: 'USDC, by whichever way it moves',
        by: 'receipts root: logs at 0xff…fe, in 18 decimals; the logs of the ERC-20 0x3600…0000 say the same in 6 and are not counted',
        tested: 'generated histories of calls, ERC-20 transfers and both',
      },
    ],
    open: 'No block was recorded. The ERC-20 is no asset of its own: named in a path, it means the native coin.',
  },
};

/** What was asked for and is not there. */
export const WAITING: readonly { readonly network: string; readonly why: string }[] = [
  {
    network: 'Tempo (`eip155:4217`)',
    why: 'Its header nests another one behind own members, and its transactions (type 0x76) hold several calls and name who pays in which token. It needs a stack of its own. That it has no native coin is no obstacle: a network may leave it out.',
  },
  {
    network: 'zkSync Era (`eip155:324`)',
    why: 'Its block hash and roots are not those of Ethereum, so no block could be proved; transactions of types 0x71 and 0xFF and a native coin that is a contract come on top. It needs a stack of its own, and a proof from its batches.',
  },
];
