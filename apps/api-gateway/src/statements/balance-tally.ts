// SPDX-License-Identifier: Apache-2.0
import { formatKnownAmount } from '@chainwatch/common/amounts';
import type { ChangeReason } from '@chainwatch/events';
import type { Account, Reading } from './read-accounts.ts';
import type { Entry } from './read-entries.ts';
import { gapOf, type BalanceLine, type GapLine, type ReadingMember } from './statement-lines.ts';

interface TalliedAccount {
  readonly address: string;
  readonly chainGid: string;
  /** As of its StatedChain. */
  readonly isOfCoins: boolean;
}

/** Adds up what moved one balance, entry by entry, and compares it with each reading on the way. */
export class BalanceTally {
  readonly account: Account;
  readonly #owner: TalliedAccount;
  readonly #sums = new Map<ChangeReason, bigint>();
  #movements = 0;
  #behind = 0;
  #adjustments = 0n;
  /** The last reading that was compared, and by how much it and the entries up to it differ. */
  #compared: { readonly number: number; readonly differenceRaw: bigint };

  constructor(account: Account, owner: TalliedAccount) {
    this.account = account;
    this.#owner = owner;
    this.#compared = { number: account.opening?.number ?? -1, differenceRaw: 0n };
  }

  /** Takes a movement. @returns whether it counts as explaining the balance */
  add(entry: Entry): boolean {
    this.#movements += 1;
    const { opening, closing } = this.account;
    if (opening === undefined || closing === undefined || entry.block_number <= opening.number) return false;
    if (entry.block_number > closing.number) {
      this.#behind += 1;
      return false;
    }
    if (!isBelieved(entry, this.#owner.isOfCoins)) return false;
    const reason = entry.reason!;
    this.#sums.set(reason, (this.#sums.get(reason) ?? 0n) + BigInt(entry.amount_raw));
    return true;
  }

  adjust(entry: Entry): void {
    this.#adjustments += BigInt(entry.amount_raw);
  }

  /** Compares a reading with what was taken so far. @returns where they begin to differ */
  compare(entry: Entry): GapLine | undefined {
    const { opening, closing } = this.account;
    if (opening === undefined || closing === undefined || entry.block_number <= opening.number)
      return undefined;
    const differenceRaw = BigInt(entry.amount_raw) - opening.amountRaw - this.#explained;
    const before = this.#compared;
    this.#compared = { number: entry.block_number, differenceRaw };
    if (differenceRaw === before.differenceRaw) return undefined;
    return this.#gap({
      ...{ kind: 'unexplained', from_block: before.number + 1, to_block: entry.block_number },
      reason: `no movement explains ${differenceRaw - before.differenceRaw} base units of the balance`,
    });
  }

  /** The balance, and what is not known of it. */
  close(): readonly [BalanceLine, ...GapLine[]] {
    const { account } = this;
    const { opening, closing, decimals } = account;
    const { address, chainGid } = this.#owner;
    const unexplained =
      opening === undefined || closing === undefined
        ? undefined
        : closing.amountRaw - opening.amountRaw - this.#explained;
    const line: BalanceLine = {
      ...{ type: 'balance', address, chain_gid: chainGid, asset_gid: account.assetGid },
      ...{ symbol: account.symbol, decimals },
      opening: toMember(opening, decimals),
      closing: toMember(closing, decimals),
      explained: Object.fromEntries([...this.#sums].map(([reason, sum]) => [reason, sum.toString()])),
      explained_raw: this.#explained.toString(),
      unexplained: unexplained === undefined ? null : formatKnownAmount(unexplained, decimals),
      unexplained_raw: unexplained?.toString() ?? null,
      adjustments_raw: this.#adjustments.toString(),
      movement_count: this.#movements,
      checked_at: account.checkedAt,
    };
    return [line, ...this.#listGaps()];
  }

  get #explained(): bigint {
    return [...this.#sums.values()].reduce((total, sum) => total + sum, 0n);
  }

  #listGaps(): GapLine[] {
    const { opening, closing, isOpeningLate, doubt } = this.account;
    const gaps: GapLine[] = [];
    if (opening === undefined || closing === undefined)
      gaps.push(
        this.#gap({ kind: 'no_reading', reason: 'no balance was read up to the end of the statement' }),
      );
    else if (isOpeningLate)
      gaps.push(
        this.#gap({
          ...{ kind: 'late_opening', to_block: opening.number },
          reason: 'the balance was read for the first time in this block: nothing is known of it before',
        }),
      );
    if (this.#behind > 0)
      gaps.push(
        this.#gap({
          ...{ kind: 'reading_behind', from_block: (closing?.number ?? 0) + 1 },
          reason: `${this.#behind} movements are later than the last reading of the balance`,
        }),
      );
    if (doubt !== undefined)
      gaps.push(
        this.#gap({
          ...{ kind: 'unexplained', from_block: doubt.since + 1, to_block: doubt.until },
          reason: `a reading showed ${doubt.amountRaw} base units that nothing explains; a second one has not decided yet`,
        }),
      );
    return gaps;
  }

  #gap(gap: Pick<GapLine, 'kind' | 'reason'> & Partial<Pick<GapLine, 'from_block' | 'to_block'>>): GapLine {
    const { address, chainGid } = this.#owner;
    return gapOf({ ...gap, address, chain_gid: chainGid, asset_gid: this.account.assetGid });
  }
}

/**
 * As the balance service believes: what is unproved is in no sum of proved coins; where a node states the balance, an
 * unproved transaction may be in it, and an unproved block's own word counts for nothing.
 */
function isBelieved({ verification, hash }: Entry, isOfCoins: boolean): boolean {
  return verification !== 'unproved' || (!isOfCoins && hash !== null);
}

function toMember(reading: Reading | undefined, decimals: number | null): ReadingMember | null {
  if (reading === undefined) return null;
  return {
    amount: formatKnownAmount(reading.amountRaw, decimals),
    amount_raw: reading.amountRaw.toString(),
    ...{ block_number: reading.number, block_hash: reading.hash, block_time: reading.time },
  };
}
