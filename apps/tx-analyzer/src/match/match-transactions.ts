import type { BlockHeader, Transaction, UtxoMoves } from '@chainwatch/chain-core';
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
        transaction,
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
