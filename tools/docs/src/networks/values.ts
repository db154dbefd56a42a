// SPDX-License-Identifier: Apache-2.0
import type { Network } from '@chainwatch/chain-core';
import { ofCoin } from './of-coin.ts';

export interface Value {
  readonly what: string;
  readonly verification: string;
  readonly by: string;
}

/** What holds by family (docs/rules/unknown.md, section "Verification"). */
export const VALUES: Readonly<Record<string, readonly Value[]>> = {
  evm: [
    {
      what: 'Transactions, their transfers of the native coin',
      verification: '`proved`',
      by: 'transactions root of the header',
    },
    {
      what: 'Token transfers, success or failure',
      verification: '`proved`',
      by: 'receipts root of the header',
    },
    { what: 'Withdrawals', verification: '`proved`', by: 'withdrawals root of the header' },
    {
      what: 'Fees',
      verification: '`proved` as far as bid and base fee tell them, otherwise `attested`',
      by: 'the transaction and the header; the node',
    },
    {
      what: 'Internal transfers',
      verification: '`attested`',
      by: 'traces of the node; logs prove them where EIP-7708 is active, and on Polygon',
    },
  ],
  bitcoin: [
    {
      what: 'Transactions, outputs, and what they spend',
      verification: '`proved`',
      by: 'Merkle root of the header, from the bytes of the block',
    },
    { what: 'Unconfirmed transactions', verification: 'not final', by: 'mempool of the node' },
  ],
  solana: [
    {
      what: 'Transactions with their signatures',
      verification: '`proved`',
      by: 'signatures; the reward of the leader proves the list',
    },
    {
      what: 'Transfers, success or failure, fees',
      verification: '`attested`',
      by: 'the node: no root of the block has them',
    },
  ],
  tron: [
    {
      what: 'Transactions, plain payments of TRX and TRC-10',
      verification: '`proved`',
      by: 'transaction root of the header',
    },
    {
      what: 'Token transfers, internal transactions, fees',
      verification: '`attested`',
      by: 'the node: no root of the block has them',
    },
  ],
};

/** What is particular to a network. */
export function ofNetwork({
  confirmation,
  blockTimeMs,
  evidenceDelayMs,
  untoldReasons,
  traits = {},
}: Network): string[] {
  const isTolerant = traits['header'] === 'tolerant' || traits['roots'] === 'tolerant';
  const strictFrom = traits['strictFrom'];
  return [
    confirmation.type === 'tag'
      ? `Final as the node tells (\`${confirmation.tag}\`), otherwise after ${confirmation.depth} blocks.`
      : `Final after ${confirmation.depth} blocks.`,
    `A block takes about ${blockTimeMs / 1_000} s.`,
    ...(evidenceDelayMs === undefined
      ? []
      : [
          `A later header proves receipts, about ${evidenceDelayMs / 1_000} s after the block; until then transactions are \`settling\`.`,
        ]),
    ...(isTolerant
      ? [
          strictFrom === undefined
            ? 'Headers in another encoding are taken without recomputing their hash.'
            : `Below block ${Number(strictFrom)}, headers in another encoding are taken without recomputing their hash.`,
        ]
      : []),
    ...(untoldReasons === undefined
      ? []
      : [
          `Balances also change without a transaction: ${untoldReasons.map((reason) => `\`${reason}\``).join(', ')}.`,
        ]),
    ...ofCoin(traits),
  ];
}
