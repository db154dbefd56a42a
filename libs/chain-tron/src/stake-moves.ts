// SPDX-License-Identifier: Apache-2.0
import { change, native, TRX_SYMBOL, type Effects } from './move.ts';
import { intOf } from './protobuf.ts';
import { CONTRACT_TYPES, type Contract } from './read-contract.ts';
import type { TransactionInfo } from './wallet-block.ts';

/**
 * What kinds of contracts about stakes and rewards pay and take, as java-tron's actuators do it, which is more than
 * their names say (github.com/tronprotocol/java-tron, actuator/src/main/java/org/tron/core/actuator):
 *
 * | Kind | Takes | Pays |
 * |---|---|---|
 * | FreezeBalance, FreezeBalanceV2 | `frozen_balance`, whoever receives the resource | |
 * | UnfreezeBalance | | `unfreeze_amount`: everything that is due, of one resource |
 * | UnfreezeBalanceV2 | | `withdraw_expire_amount`: earlier ones that are due; its own amount begins to wait |
 * | WithdrawExpireUnfreeze, CancelAllUnfreezeV2 | | `withdraw_expire_amount` |
 * | WithdrawBalance | | `withdraw_amount`: rewards |
 *
 * Votes, and unfreezing too, move rewards to the allowance, which is no balance. Delegations move nothing.
 * @returns undefined for other kinds
 */
export function listStakeMoves(
  { type, parameter, owner }: Contract,
  info: TransactionInfo,
): Effects | undefined {
  switch (type) {
    case CONTRACT_TYPES.freezeBalance:
    case CONTRACT_TYPES.freezeBalanceV2:
      return { moves: [native({ from: owner, amountRaw: intOf(parameter, 2) })] };
    case CONTRACT_TYPES.unfreezeBalance:
      return payOut(owner, info.unfreeze_amount, true);
    case CONTRACT_TYPES.withdrawBalance:
      return payOut(owner, info.withdraw_amount, true);
    case CONTRACT_TYPES.withdrawExpireUnfreeze:
      return payOut(owner, info.withdraw_expire_amount, true);
    case CONTRACT_TYPES.unfreezeBalanceV2:
    case CONTRACT_TYPES.cancelAllUnfreezeV2:
      return payOut(owner, info.withdraw_expire_amount, false);
    default:
      return undefined;
  }
}

/**
 * @param isNeeded whether java-tron refuses the transaction where nothing is due. Then records without an amount were
 * written by a release from before there was one.
 */
function payOut(to: Buffer, amount: number | string | undefined, isNeeded: boolean): Effects {
  const amountRaw = BigInt(amount ?? 0);
  return {
    moves: [native({ to, amountRaw })],
    ...(isNeeded && amountRaw === 0n && { changes: [change(to, TRX_SYMBOL)] }),
    isAttested: true,
  };
}
