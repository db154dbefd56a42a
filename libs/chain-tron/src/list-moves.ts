// SPDX-License-Identifier: Apache-2.0
import type { Lookups } from './lookups.ts';
import { native, token, type Effects, type Move } from './move.ts';
import { bytesOf, intOf, messageOf, readFields, type Fields } from './protobuf.ts';
import { CONTRACT_TYPES, type Contract } from './read-contract.ts';
import { listStakeMoves } from './stake-moves.ts';
import { listTradeMoves } from './trade-moves.ts';
import type { TransactionInfo } from './wallet-block.ts';

const NOTHING: Effects = { moves: [] };

/**
 * What a successful transaction does to balances by itself, in the order in which java-tron does it. `created` are the
 * 21 bytes of a contract that it creates. Fees, burned costs included, are in the record's `fee`.
 */
export function listMoves(
  contract: Contract,
  info: TransactionInfo,
  { created, lookups }: { readonly created: Buffer; readonly lookups: Lookups },
): Effects {
  const { type, parameter, owner } = contract;
  switch (type) {
    case CONTRACT_TYPES.transfer:
      return {
        moves: [native({ from: owner, to: bytesOf(parameter, 2), amountRaw: intOf(parameter, 3) })],
      };
    case CONTRACT_TYPES.transferAsset:
      return {
        moves: [
          token(bytesOf(parameter, 1).toString('utf8'), {
            from: owner,
            to: bytesOf(parameter, 3),
            amountRaw: intOf(parameter, 4),
          }),
        ],
      };
    case CONTRACT_TYPES.assetIssue:
      return info.assetIssueID === undefined
        ? NOTHING
        : {
            moves: [
              token(info.assetIssueID, {
                to: owner,
                amountRaw: intOf(parameter, 4) - sumFrozen(parameter),
              }),
            ],
            isAttested: true,
          };
    case CONTRACT_TYPES.triggerSmartContract:
      return listCallMoves(owner, bytesOf(parameter, 2), {
        value: intOf(parameter, 3),
        tokenValue: intOf(parameter, 5),
        tokenId: intOf(parameter, 6),
      });
    case CONTRACT_TYPES.createSmartContract: {
      const fields = readFields(messageOf(parameter, 2));
      return listCallMoves(owner, created, {
        value: intOf(fields, 5),
        tokenValue: intOf(parameter, 3),
        tokenId: intOf(parameter, 4),
      });
    }
    default:
      return listStakeMoves(contract, info) ?? listTradeMoves(contract, info, lookups) ?? NOTHING;
  }
}

function listCallMoves(
  from: Buffer,
  to: Buffer,
  call: { readonly value: bigint; readonly tokenValue: bigint; readonly tokenId: bigint },
): Effects {
  const moves: Move[] = [native({ from, to, amountRaw: call.value })];
  if (call.tokenValue > 0n)
    moves.push(token(call.tokenId.toString(), { from, to, amountRaw: call.tokenValue }));
  return { moves };
}

function sumFrozen(parameter: Fields): bigint {
  const frozen = parameter.get(5) ?? [];
  return frozen.reduce(
    (sum: bigint, supply) => sum + (typeof supply === 'object' ? intOf(readFields(supply), 1) : 0n),
    0n,
  );
}
