// SPDX-License-Identifier: Apache-2.0
import {
  lacksEvidence,
  type Block,
  type BlockOpinion,
  type Transaction,
  type UnknownPart,
} from '@chainwatch/chain-core';
import { digestLogs, digestTransaction } from './digest-transaction.ts';

/** The incident of transactions that endpoints of two operators attest differently. */
export function attestedDifferently(hashes: readonly string[]): UnknownPart {
  return {
    kind: 'attestation:contradicted',
    transactionHash: hashes[0],
    expected: 'the same effects from endpoints of different operators',
    got: `others of ${hashes.length === 1 ? 'the transaction' : `${hashes.length} transactions of the block`}`,
  };
}

/** What one endpoint told of a transaction, as digests in hexadecimal digits. */
export interface ToldTransaction {
  readonly hash: string;
  readonly digest: string;
  /** Only that node's word can stand behind it. */
  readonly attested?: {
    readonly logsDigest: string;
    readonly leavesOut: Block['leavesOut'];
  };
}

interface Asked {
  /** Label of the endpoint that told it. */
  readonly endpoint: string;
  /** Labels of all endpoints that are configured. */
  readonly labels: ReadonlySet<string>;
  readonly opinions: readonly BlockOpinion[];
}

/**
 * Compares what an endpoint told of a transaction with what others tell. One that disagrees is a contradiction, whoever else
 * agrees. One that agrees is enough; two are needed when the first endpoint is no longer configured, as one of those asked may be
 * the same under another name. Undefined without an opinion.
 */
export function judgeOpinions(
  told: ToldTransaction,
  { endpoint, labels, opinions }: Asked,
): 'agreed' | 'contradicted' | undefined {
  const agreeing = new Set<string>();
  for (const { label, block } of opinions) {
    const opinion = compare(told, block);
    if (opinion === 'other') return 'contradicted';
    if (opinion === 'same') agreeing.add(label);
  }
  return agreeing.size < (labels.has(endpoint) ? 1 : 2) ? undefined : 'agreed';
}

/** Undefined where the block tells too little of it: an attested transaction is known to be in the chain, so less is no contradiction. */
function compare(told: ToldTransaction, block: Block): 'same' | 'other' | undefined {
  const transaction = block.transactions.find(({ hash }) => hash === told.hash);
  const { attested, digest } = told;
  // A node that leaves transactions out without a proof shows less.
  if (transaction === undefined)
    return attested !== undefined && (lacksEvidence(block.verification) || block.unknowns !== undefined)
      ? undefined
      : 'other';
  if (attested === undefined || attested.leavesOut === block.leavesOut) {
    if (attested !== undefined && lacksEvidence(transaction.verification)) return undefined;
    return hex(digestTransaction(transaction)) === digest ? 'same' : 'other';
  }
  return hex(digestLogs(transaction)) === attested.logsDigest ? undefined : 'other';
}

export function describeAttested(transaction: Transaction, leavesOut: Block['leavesOut']): ToldTransaction {
  return {
    hash: transaction.hash,
    digest: hex(digestTransaction(transaction)),
    attested: { logsDigest: hex(digestLogs(transaction)), leavesOut },
  };
}

const hex = (digest: Buffer): string => digest.toString('hex');
