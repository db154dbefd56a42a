// SPDX-License-Identifier: Apache-2.0
import {
  rankOf,
  type AddressFilter,
  type BlockHeader,
  type Transaction,
  type UtxoMoves,
  type Verification,
} from '@chainwatch/chain-core';
import type {
  Direction,
  MatchedTransaction,
  MatchedTransfer,
  Participant,
  WatchedByAddress,
} from '../model/matched-transaction.ts';

interface Matching {
  readonly block: BlockHeader;
  readonly transactions: readonly Transaction[];
  readonly watched: WatchedByAddress;
  readonly traceparent?: string | undefined;
}

/** Matches `transactions` with each project that watches one of their addresses at that height, in block order. */
export function matchTransactions({
  block,
  transactions,
  watched,
  traceparent,
}: Matching): MatchedTransaction[] {
  const matches: MatchedTransaction[] = [];
  for (const transaction of transactions) {
    for (const [projectId, participants] of findParticipants(block, transaction, watched)) {
      const transfers = transaction.isFailed ? [] : pickTransfers(transaction, participants);
      matches.push({
        projectId,
        block,
        transaction: attest(transaction, participants),
        transfers,
        participants: [...participants.values()],
        direction:
          transaction.utxo === undefined
            ? directionOf(transfers)
            : directionOfLegs(transfers, transaction.utxo),
        traceparent,
      });
    }
  }
  return matches;
}

/** To whoever takes part in it, what only the node tells (a fee, a transfer) is a part of what the transaction did. */
function attest(transaction: Transaction, participants: AddressFilter): Transaction {
  return transaction.verification === undefined && verificationFor(transaction, participants) === 'attested'
    ? { ...transaction, verification: 'attested' }
    : transaction;
}

/** What stands behind a transaction for those who watch `addresses`. */
export function verificationFor(
  { verification: told, fee, transfers }: Pick<Transaction, 'verification' | 'fee' | 'transfers'>,
  addresses: AddressFilter,
): Verification {
  const verification: Verification = told ?? 'proved';
  const concerns = (address: string | undefined): boolean => address !== undefined && addresses.has(address);
  const isWord =
    (fee?.isAttested === true && concerns(fee.payer)) ||
    transfers.some(({ isAttested, from, to }) => isAttested === true && (concerns(from) || concerns(to)));
  return isWord && rankOf(verification) < rankOf('attested') ? 'attested' : verification;
}

/** Whether only the node's word stands for some of what a transaction did. */
export function hasWord({ verification, fee, transfers }: Transaction): boolean {
  return (
    verification === 'attested' ||
    fee?.isAttested === true ||
    transfers.some(({ isAttested }) => isAttested === true)
  );
}

/**
 * `self` when everything stays among the project's addresses, `out` when something leaves them or only a fee was paid,
 * otherwise `in`.
 */
export function directionOf(transfers: readonly MatchedTransfer[]): Direction {
  let isIn = false;
  let isSelf = false;
  for (const { from, to, monitored } of transfers) {
    const leaves = from !== undefined && monitored.includes(from);
    const arrives = to !== undefined && monitored.includes(to);
    if (leaves && !arrives) return 'out';
    if (leaves && arrives) isSelf = true;
    else isIn = true;
  }
  if (isIn) return 'in';
  return isSelf ? 'self' : 'out';
}

/**
 * Direction of a UTXO transaction: `in` when the project spends nothing; `self` when all inputs and outputs are its
 * own, apart from outputs without amount and address (OP_RETURN); otherwise `out`.
 */
function directionOfLegs(legs: readonly MatchedTransfer[], { inputs, outputs }: UtxoMoves): Direction {
  const isOwn = new Map(legs.map(({ index, monitored }) => [index, monitored.length > 0]));
  const ownInputs = inputs.filter((_, vin) => isOwn.get(vin) === true).length;
  if (ownInputs === 0) return 'in';
  const ownOutputs = outputs.map(
    ({ amountRaw }, vout) => isOwn.get(inputs.length + vout) ?? (amountRaw === 0n ? undefined : false),
  );
  return ownInputs === inputs.length && ownOutputs.includes(true) && !ownOutputs.includes(false)
    ? 'self'
    : 'out';
}

type ParticipantsByProject = Map<string, Map<string, Participant>>;

function findParticipants(
  block: BlockHeader,
  transaction: Transaction,
  watched: WatchedByAddress,
): ParticipantsByProject {
  const projects: ParticipantsByProject = new Map();
  const collect = (address: string | undefined): void => {
    if (address === undefined) return;
    for (const candidate of watched.get(address) ?? []) {
      if (candidate.fromBlock > block.number) continue;
      let participants = projects.get(candidate.projectId);
      if (participants === undefined) projects.set(candidate.projectId, (participants = new Map()));
      if (!participants.has(address))
        participants.set(address, { id: candidate.id, address, own: candidate.own });
    }
  };
  collect(transaction.from);
  collect(transaction.fee?.payer);
  if (!transaction.isFailed) {
    for (const transfer of transaction.transfers) {
      collect(transfer.from);
      collect(transfer.to);
    }
  }
  return projects;
}

/**
 * The transfers that touch the project. If it spends an output, also the legs that pay others, with `monitored`
 * empty.
 */
function pickTransfers(
  transaction: Transaction,
  participants: ReadonlyMap<string, Participant>,
): MatchedTransfer[] {
  const picked: MatchedTransfer[] = [];
  const isSpender =
    transaction.utxo !== undefined &&
    transaction.transfers.some(({ from }) => from !== undefined && participants.has(from));
  for (const transfer of transaction.transfers) {
    const monitored: string[] = [];
    if (transfer.from !== undefined && participants.has(transfer.from)) monitored.push(transfer.from);
    if (transfer.to !== undefined && transfer.to !== transfer.from && participants.has(transfer.to))
      monitored.push(transfer.to);
    const isPaid = isSpender && transfer.to !== undefined;
    if (monitored.length > 0 || isPaid) picked.push({ ...transfer, monitored });
  }
  return picked;
}
