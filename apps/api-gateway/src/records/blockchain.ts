// SPDX-License-Identifier: Apache-2.0
import { z } from 'zod';
import { UNTOLD_REASONS, type Network } from '@chainwatch/chain-core';
import { findNetwork, listFamilies } from '@chainwatch/chain-registry';
import type { Prisma } from '@chainwatch/data/prisma';
import { logoPathOf } from './logo.ts';
import { describeSync, type ServiceReport } from './describe-sync.ts';
import { familySchema } from './path-schemas.ts';

export const unprovedSchema = z.enum(['hold', 'deliver']).meta({
  description:
    'What happens to final transactions that cannot be proved. `hold`: they are confirmed after another node agrees, a proof arrives, or the operator accepts the incident. `deliver`: they are confirmed with `verification: "trusted"`, unless another node has contradicted them. Incidents stay open either way.',
  examples: ['hold'],
});

export const blockchainSchema = z
  .object({
    gid: z.string().meta({ description: 'The chain as CAIP-2.', examples: ['eip155:1'] }),
    image_url: z
      .string()
      .meta({ description: 'URL of its logo.', examples: ['https://example.com/ethereum.svg'] }),
    name: z.string().meta({ description: 'Unique name of the chain.', examples: ['ethereum'] }),
    short_name: z.string().meta({ description: 'Short name of the chain.', examples: ['ETH'] }),
    display_name: z.string().meta({ description: 'Name of the chain for people.', examples: ['Ethereum'] }),
    is_active: z.boolean().meta({ description: 'Whether the service monitors it.' }),
    family: familySchema.meta({ description: 'The family of the chain.' }),
    has_endpoint: z
      .boolean()
      .meta({ description: 'Whether a node URL is stored; the URL itself is never shown.' }),
    unproved: unprovedSchema,
    untold_reasons: z.array(z.enum(UNTOLD_REASONS)).meta({
      description:
        'Reasons for balance changes without a transaction on this chain. If you credit by transactions, also subscribe to `balance.changed` with these in `filters.reasons`. Empty if every change is part of a transaction.',
      examples: [['withdrawal', 'adjustment']],
    }),
    sync: z
      .object({
        status: z.string().meta({
          description:
            'The first that applies: `unknown` (a service has not reported for 30 s), `stalled` (blocks wait, or a worker beside them fails again and again; the reason says which), `recovering` (a deep reorg), `degraded` (it goes on, and an incident is open), `catching_up`, `starting`, `following`.',
          examples: ['following'],
        }),
        reason: z
          .string()
          .nullable()
          .meta({ description: 'Why it stands still, or is not known. Null otherwise.', examples: [null] }),
        updated_at: z.iso.datetime().meta({
          description: 'Every service of the chain has reported since then.',
          examples: ['2026-01-01T00:00:00.000Z'],
        }),
        head_number: z
          .int()
          .nullable()
          .meta({ description: 'Head of the chain as recorded. Null at first.', examples: [21_000_000] }),
        node_head_number: z
          .int()
          .nullable()
          .meta({
            description: 'Head of the chain as its node said last, at most some 10 s ago. Null at first.',
            examples: [21_000_002],
          }),
        finalized_number: z
          .int()
          .nullable()
          .meta({
            description: 'The highest final block. Null where none is known.',
            examples: [20_999_936],
          }),
        processed_number: z
          .int()
          .nullable()
          .meta({
            description: 'The highest block whose transactions are stored. Null at first.',
            examples: [21_000_000],
          }),
        lag_blocks: z
          .int()
          .min(0)
          .nullable()
          .meta({
            description:
              'So many blocks `processed_number` is below `node_head_number`. Null while one of them is.',
            examples: [2],
          }),
        balances_checked_at: z.iso
          .datetime()
          .nullable()
          .meta({
            description:
              'All balances were read from the chain at this time or later. Null until the first round has read all of them, and if there are no rounds: on Bitcoin, while no node reports the coins of an address.',
            examples: ['2026-11-28T09:00:00.000Z'],
          }),
        block_time_ms: z
          .int()
          .nullable()
          .meta({
            description:
              'Measured time between two blocks: the median of the last 100. Null until 50 blocks were seen, and on local chains.',
            examples: [12_000],
          }),
        configured_block_time_ms: z
          .int()
          .nullable()
          .meta({
            description: 'Time between two blocks that this release expects. Null on local chains.',
            examples: [12_000],
          }),
        proofs: z.array(z.string()).meta({
          description:
            'What proves a block at the head of this chain, by the network’s document: on EVM `header_hash`, `transactions_root` and `receipts_root`, or `logs_bloom` where roots are tolerant; on Bitcoin `merkle_root` and `witness_commitment`. Empty where only the node’s word stands.',
          examples: [['header_hash', 'transactions_root', 'receipts_root']],
        }),
        incident_count: z
          .int()
          .min(0)
          .meta({
            description:
              'Open incidents: kinds of content in its blocks that this release does not know, and what is set aside.',
            examples: [0],
          }),
      })
      .nullable()
      .meta({ description: 'How far the services are. Null while the chain is not active.' }),
  })
  .meta({ id: 'Blockchain' });

export const BLOCKCHAIN_INCLUDE = {
  ingestorState: true,
  analyzerState: true,
  balanceState: true,
  balanceRound: true,
  _count: { select: { incidents: { where: { status: { in: ['open', 'quarantined'] } } } } },
} as const satisfies Prisma.BlockchainInclude;

/** The columns of a chain and of its services' states that the record shows. */
export interface BlockchainState {
  readonly gid: string;
  readonly family: string;
  readonly name: string;
  readonly shortName: string;
  readonly imageUrl: string;
  readonly isActive: boolean;
  readonly endpointSealed: string | null;
  readonly otherEndpointsSealed: unknown;
  readonly unproved: string;
  readonly updatedAt: Date;
  readonly ingestorState:
    | (StateRow & {
        readonly headNumber: Integer | null;
        readonly nodeHeadNumber: Integer | null;
        readonly blockTimeMs: number | null;
        readonly finalizedNumber: Integer | null;
      })
    | null;
  readonly analyzerState:
    | (StateRow & { readonly cursorNumber: Integer | null; readonly workerReason: string | null })
    | null;
  readonly balanceState: StateRow | null;
  readonly balanceRound: {
    readonly startedAt: Date;
    readonly endedAt: Date | null;
    readonly previousAt: Date | null;
  } | null;
  /** Counts open incidents only. */
  readonly _count: { readonly incidents: number };
}

/** The report of a chain's owner in one of the services. */
type StateRow = Omit<ServiceReport, 'service'>;

/** bigint from Prisma, number from raw SQL. */
type Integer = bigint | number;

/** Whether a node was configured over the API. */
export function hasEndpoint({
  endpointSealed,
  otherEndpointsSealed,
}: Pick<BlockchainState, 'endpointSealed' | 'otherEndpointsSealed'>): boolean {
  return endpointSealed !== null || Object.keys(otherEndpointsSealed as object).length > 0;
}

/** @param now from the database's clock if possible, because that clock wrote the row's times */
export function toBlockchainRecord(row: BlockchainState, now = new Date()): z.infer<typeof blockchainSchema> {
  const { ingestorState: ingestor, analyzerState: analyzer, balanceState: balances } = row;
  const reports: ServiceReport[] = [
    { ...(ingestor ?? NOT_YET), service: 'block-ingestor' },
    { ...(analyzer ?? NOT_YET), ...findStall(analyzer), service: 'tx-analyzer' },
    { ...(balances ?? NOT_YET), service: 'balance-service' },
  ];
  const processedNumber = toNumber(analyzer?.cursorNumber ?? null);
  const nodeHeadNumber = toNumber(ingestor?.nodeHeadNumber ?? null);
  const network = findNetwork(row.gid);
  const { status, reason, updatedAt } = describeSync({
    reports,
    activatedAt: row.updatedAt,
    now,
    incidentCount: row._count.incidents,
  });
  return {
    gid: row.gid,
    image_url: network === undefined ? row.imageUrl : (network.imageUrl ?? logoPathOf(network.name)),
    name: row.name,
    short_name: row.shortName,
    display_name: network?.displayName ?? row.name,
    is_active: row.isActive,
    family: familySchema.parse(row.family),
    has_endpoint: hasEndpoint(row),
    unproved: unprovedSchema.parse(row.unproved),
    untold_reasons: [...(network?.untoldReasons ?? [])],
    sync: row.isActive
      ? {
          status,
          reason,
          updated_at: updatedAt.toISOString(),
          head_number: toNumber(ingestor?.headNumber ?? null),
          node_head_number: nodeHeadNumber,
          finalized_number: toNumber(ingestor?.finalizedNumber ?? null),
          processed_number: processedNumber,
          lag_blocks:
            processedNumber === null || nodeHeadNumber === null
              ? null
              : Math.max(0, nodeHeadNumber - processedNumber),
          balances_checked_at: findOldestReading(row)?.toISOString() ?? null,
          block_time_ms: ingestor?.blockTimeMs ?? null,
          configured_block_time_ms:
            network === undefined || network.isLocal === true ? null : network.blockTimeMs,
          proofs: [...proofsOf(network, nodeHeadNumber)],
          incident_count: row._count.incidents,
        }
      : null,
  };
}

function proofsOf(network: Network | undefined, headNumber: number | null): readonly string[] {
  const family = listFamilies().find(({ name }) => name === network?.family);
  return network === undefined
    ? []
    : (family?.proofsOf?.(network, headNumber ?? Number.MAX_SAFE_INTEGER) ?? []);
}

/** The start of the last round that has read every address. */
function findOldestReading({ balanceRound: round }: Pick<BlockchainState, 'balanceRound'>): Date | null {
  return (round?.endedAt === null ? round.previousAt : round?.startedAt) ?? null;
}

/** A worker of the analyzer that fails again and again stands still, while blocks go on. */
function findStall(
  analyzer: BlockchainState['analyzerState'],
): Pick<ServiceReport, 'status' | 'reason'> | undefined {
  if (analyzer === null || analyzer.workerReason === null || analyzer.status === 'stalled') return undefined;
  return { status: 'stalled', reason: analyzer.workerReason };
}

const NOT_YET: StateRow = { status: 'starting', reason: null, updatedAt: new Date(0) };

function toNumber(value: Integer | null): number | null {
  return value === null ? null : Number(value);
}
