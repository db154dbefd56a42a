import type { TransferType } from '@chainwatch/chain-core';
import { bytesOf, intOf, messageOf, readFields, type Fields } from './protobuf.ts';
import { CONTRACT_TYPES, type Contract } from './read-contract.ts';
import type { InternalTransaction, TransactionInfo } from './wallet-block.ts';

/** Something that goes from one account to another. */
export interface Move {
  readonly type: TransferType;
  /** Id of a TRC-10 token, or its name in blocks from before there were ids; absent for TRX. */
  readonly asset?: string;
  /** 21 bytes each, empty for nobody. */
  readonly from: Buffer;
  readonly to: Buffer;
  readonly amountRaw: bigint;
}

const nobody = Buffer.alloc(0);
/** Notes of internal transactions that move their value; the others are stakes, votes and rewards. */
export const movingNotes: ReadonlySet<string> = new Set(
  ['call', 'create', 'suicide'].map((note) => Buffer.from(note, 'latin1').toString('hex')),
);

/** What a successful transaction moves by itself, TRX first. `created` are the 21 bytes of a contract that it creates. */
export function listMoves(
  { type, parameter, owner }: Contract,
  info: TransactionInfo,
  created: Buffer,
): Move[] {
  switch (type) {
    case CONTRACT_TYPES.transfer:
      return [native(owner, bytesOf(parameter, 2), intOf(parameter, 3))];
    case CONTRACT_TYPES.transferAsset:
      return [
        token(bytesOf(parameter, 1).toString('utf8'), {
          from: owner,
          to: bytesOf(parameter, 3),
          amountRaw: intOf(parameter, 4),
        }),
      ];
    case CONTRACT_TYPES.participateAssetIssue:
      // The tokens that the issuer gives for it depend on the token's price; only the balance shows them.
      return [native(owner, bytesOf(parameter, 2), intOf(parameter, 4))];
    case CONTRACT_TYPES.assetIssue:
      return info.assetIssueID === undefined
        ? []
        : [
            token(info.assetIssueID, {
              from: nobody,
              to: owner,
              amountRaw: intOf(parameter, 4) - sumFrozen(parameter),
            }),
          ];
    case CONTRACT_TYPES.triggerSmartContract:
      return listCallMoves(owner, bytesOf(parameter, 2), {
        value: intOf(parameter, 3),
        tokenValue: intOf(parameter, 5),
        tokenId: intOf(parameter, 6),
      });
    case CONTRACT_TYPES.createSmartContract: {
      const contract = readFields(messageOf(parameter, 2));
      return listCallMoves(owner, created, {
        value: intOf(contract, 5),
        tokenValue: intOf(parameter, 3),
        tokenId: intOf(parameter, 4),
      });
    }
    case CONTRACT_TYPES.shieldedTransfer:
      // Into the shielded pool and out of it: the other side is unknown.
      return [
        native(owner, nobody, intOf(parameter, 2)),
        native(nobody, bytesOf(parameter, 5), intOf(parameter, 6)),
      ];
    default:
      return [];
  }
}

/** What contracts moved while a transaction ran, in the order of execution; what was rejected moved nothing. */
export function listInternalMoves(internal: readonly InternalTransaction[]): Move[] {
  return internal.flatMap((one) => {
    if (one.rejected === true || !movingNotes.has(one.note ?? '')) return [];
    const from = Buffer.from(one.caller_address ?? '', 'hex');
    const to = Buffer.from(one.transferTo_address ?? '', 'hex');
    // In a call that runs another contract's code for the caller, the value stays with the caller.
    if (from.equals(to)) return [];
    return (one.callValueInfo ?? []).map(
      ({ callValue = 0, tokenId = '' }): Move => ({
        type: 'internal',
        ...(tokenId !== '' && { asset: tokenId }),
        from,
        to,
        amountRaw: BigInt(callValue),
      }),
    );
  });
}

function listCallMoves(
  from: Buffer,
  to: Buffer,
  call: { readonly value: bigint; readonly tokenValue: bigint; readonly tokenId: bigint },
): Move[] {
  return [
    native(from, to, call.value),
    ...(call.tokenValue > 0n
      ? [token(call.tokenId.toString(), { from, to, amountRaw: call.tokenValue })]
      : []),
  ];
}

function native(from: Buffer, to: Buffer, amountRaw: bigint): Move {
  return { type: 'native', from, to, amountRaw };
}

function token(
  asset: string,
  { from, to, amountRaw }: { readonly from: Buffer; readonly to: Buffer; readonly amountRaw: bigint },
): Move {
  return { type: 'token', asset, from, to, amountRaw };
}

function sumFrozen(parameter: Fields): bigint {
  const frozen = parameter.get(5) ?? [];
  return frozen.reduce(
    (sum: bigint, supply) => sum + (typeof supply === 'object' ? intOf(readFields(supply), 1) : 0n),
    0n,
  );
}
