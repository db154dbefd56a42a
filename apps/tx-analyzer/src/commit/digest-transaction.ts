// SPDX-License-Identifier: Apache-2.0
import { createHash } from 'node:crypto';
import type { Transaction } from '@chainwatch/chain-core';

/**
 * SHA-256 of what a block says about a transaction: two endpoints with the same digest say the same. On chains of
 * unspent outputs it leaves out transfers and fee, which come from the outpoints and not from the block.
 */
export function digestTransaction({
  hash,
  index,
  isFailed,
  from,
  to,
  createdContract,
  fee,
  transfers,
  memo,
  utxo,
}: Transaction): Buffer {
  const facts = [
    hash,
    index,
    isFailed,
    from ?? null,
    to ?? null,
    createdContract ?? null,
    utxo === undefined
      ? [
          fee === undefined ? null : [fee.assetGid, fee.amountRaw, fee.payer ?? null],
          transfers.map((each) => [
            each.index,
            each.type,
            each.assetGid,
            each.from ?? null,
            each.to ?? null,
            each.amountRaw,
            each.logIndex ?? null,
            ...(each.memo === undefined ? [] : [each.memo]),
          ]),
        ]
      : [
          utxo.isCoinbase,
          utxo.inputs.map(({ txid, vout }) => [txid, vout]),
          utxo.outputs.map(({ matchKey, amountRaw }) => [matchKey, amountRaw]),
        ],
    // Outputs hold it already. Left out where there is none, as in digests of an earlier release.
    ...(utxo !== undefined || memo === undefined ? [] : [memo]),
  ];
  const text = JSON.stringify(facts, (_key, value: unknown) =>
    typeof value === 'bigint' ? value.toString() : value,
  );
  return createHash('sha256').update(text).digest();
}

/**
 * SHA-256 of what every interface of a chain tells of a transaction: how it ended, and the transfers in its logs. Nodes differ
 * in the rest: some do not store what contracts moved inside of it, some interfaces show no fee.
 */
export function digestLogs({ hash, isFailed, transfers }: Transaction): Buffer {
  const logged = transfers.filter(({ logIndex }) => logIndex !== undefined);
  const facts = [
    hash,
    isFailed,
    logged.map(({ assetGid, from, to, amountRaw, logIndex }) => [
      assetGid,
      from ?? null,
      to ?? null,
      amountRaw.toString(),
      logIndex,
    ]),
  ];
  return createHash('sha256').update(JSON.stringify(facts)).digest();
}
