// SPDX-License-Identifier: Apache-2.0
import { formatKnownAmount, scaleAmount } from '@chainwatch/amounts';
import { currentMultiplier } from '../../assets/current-multiplier.ts';
import type { BalanceRow } from './balance-row.ts';

interface BalanceDetails {
  asset_gid: string;
  total: string | null;
  total_raw: string;
  decimals: number | null;
  ui_multiplier: string | null;
  ui_amount: string | null;
  confirmed: string | null;
  unconfirmed: string | null;
  spendable: string | null;
  spendable_raw: string;
  immature: string | null;
  immature_raw: string;
  pending_in: string | null;
  pending_out: string | null;
  checked_at: string | null;
}

export function toBalanceDetails(row: BalanceRow): BalanceDetails {
  const show = (raw: bigint): string | null => formatKnownAmount(raw, row.decimals);
  const total = BigInt(row.total_raw);
  const immature = BigInt(row.immature_raw);
  const multiplier = currentMultiplier(row.ui_multiplier);
  const confirmed = row.confirmed_raw === null ? undefined : BigInt(row.confirmed_raw);
  return {
    asset_gid: row.asset_gid,
    total: show(total),
    total_raw: row.total_raw,
    decimals: row.decimals,
    ui_multiplier: multiplier ?? null,
    ui_amount:
      multiplier === undefined || row.decimals === null ? null : scaleAmount(total, row.decimals, multiplier),
    confirmed: confirmed === undefined ? null : show(confirmed),
    unconfirmed: confirmed === undefined ? null : show(total - confirmed - immature),
    spendable: show(total - immature),
    spendable_raw: String(total - immature),
    immature: show(immature),
    immature_raw: row.immature_raw,
    pending_in: show(BigInt(row.pending_in_raw)),
    pending_out: show(BigInt(row.pending_out_raw)),
    checked_at: row.checked_at?.toISOString() ?? null,
  };
}
