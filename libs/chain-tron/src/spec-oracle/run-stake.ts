// SPDX-License-Identifier: Apache-2.0
import type { Made } from '../spec-ledger-node.ts';
import { hex, TRX, TRX_PRECISION, type Account, type Book } from './book.ts';

export const STAKE_KINDS = [
  'FreezeBalanceContract',
  'UnfreezeBalanceContract',
  'FreezeBalanceV2Contract',
  'UnfreezeBalanceV2Contract',
  'WithdrawExpireUnfreezeContract',
  'CancelAllUnfreezeV2Contract',
  'WithdrawBalanceContract',
  'TriggerSmartContract',
] as const;

/** Stakes and rewards, as the actuators change an account. Undefined where java-tron would refuse it now. */
export function runStake(book: Book, kind: (typeof STAKE_KINDS)[number], owner: Account): Made | undefined {
  const make = book.makeFor(kind, owner);
  const amount = TRX_PRECISION + book.random(1_000);
  switch (kind) {
    case 'FreezeBalanceContract':
      if (!book.take(owner, TRX, amount)) return undefined;
      owner.frozen += amount;
      return make({ frozen_balance: amount, frozen_duration: 3 });
    case 'UnfreezeBalanceContract': {
      const { frozen } = owner;
      if (frozen === 0) return undefined;
      owner.frozen = 0;
      book.give(owner, TRX, frozen);
      return make({ resource: 'BANDWIDTH' }, { unfreeze_amount: frozen });
    }
    case 'FreezeBalanceV2Contract':
      if (!book.take(owner, TRX, amount)) return undefined;
      owner.frozenV2 += amount;
      return make({ frozen_balance: amount });
    case 'UnfreezeBalanceV2Contract': {
      const half = Math.ceil(owner.frozenV2 / 2);
      if (half === 0) return undefined;
      const paid = payDue(book, owner);
      owner.frozenV2 -= half;
      owner.waiting.push({ amount: half, due: book.now + 6 });
      return make({ unfreeze_balance: half }, shown(paid));
    }
    case 'WithdrawExpireUnfreezeContract': {
      const paid = payDue(book, owner);
      return paid === 0 ? undefined : make({}, shown(paid));
    }
    case 'CancelAllUnfreezeV2Contract': {
      if (owner.waiting.length === 0) return undefined;
      const paid = payDue(book, owner);
      const back = owner.waiting.reduce((sum, one) => sum + one.amount, 0);
      owner.frozenV2 += back;
      owner.waiting = [];
      return make({}, { ...shown(paid), cancel_unfreezeV2_amount: [{ key: 'BANDWIDTH', value: back }] });
    }
    case 'WithdrawBalanceContract': {
      const { allowance } = owner;
      if (allowance === 0) return undefined;
      owner.allowance = 0;
      book.give(owner, TRX, allowance);
      return make({}, { withdraw_amount: allowance });
    }
    case 'TriggerSmartContract':
      return runContract(book, owner);
  }
}

/** A contract that stakes, begins to unstake, and takes what is due and its rewards. */
function runContract(book: Book, owner: Account): Made {
  const contract = book.pick(book.accounts.filter((one) => one !== owner));
  const internal: object[] = [];
  const record = (note: string, amount: number): void =>
    void internal.push({
      caller_address: contract.address,
      transferTo_address: contract.address,
      callValueInfo: [amount === 0 ? {} : { callValue: amount }],
      note: hex(note),
    });
  const staked = 1 + book.random(900);
  book.take(contract, TRX, staked);
  contract.frozenV2 += staked;
  record('freezeBalanceV2ForEnergy', staked);
  const paid = payDue(book, contract);
  contract.frozenV2 -= staked;
  contract.waiting.push({ amount: staked, due: book.now + 4 });
  record('unfreezeBalanceV2ForEnergy', staked);
  if (paid > 0) record('withdrawExpireUnfreezeWhileUnfreezing', paid);
  const { allowance } = contract;
  contract.allowance = 0;
  book.give(contract, TRX, allowance);
  record('withdrawReward', allowance);
  return book.makeFor('TriggerSmartContract', owner)(
    { contract_address: contract.address, data: '00' },
    { internal_transactions: internal },
  );
}

function payDue(book: Book, account: Account): number {
  const paid = account.waiting.reduce((sum, { amount, due }) => sum + (due <= book.now ? amount : 0), 0);
  account.waiting = account.waiting.filter(({ due }) => due > book.now);
  book.give(account, TRX, paid);
  return paid;
}

const shown = (paid: number): object => (paid > 0 ? { withdraw_expire_amount: paid } : {});
