// SPDX-License-Identifier: Apache-2.0
import type { z } from 'zod';
import type { Sql } from '@chainwatch/data/db';
import { toBlockchainRecord } from '../records/blockchain.ts';
import type { BlockchainState, blockchainSchema } from '../records/blockchain.ts';

type BlockchainRecord = z.infer<typeof blockchainSchema>;

/** The columns as SQL returns them, flat. */
interface Row
  extends Omit<
    BlockchainState,
    'ingestorState' | 'analyzerState' | 'balanceState' | 'balanceRound' | '_count'
  > {
  readonly readAt: Date;
  readonly ingestorStatus: string | null;
  readonly ingestorReason: string | null;
  readonly ingestorAt: Date;
  readonly headNumber: number | null;
  readonly nodeHeadNumber: number | null;
  readonly blockTimeMs: number | null;
  readonly finalizedNumber: number | null;
  readonly analyzerStatus: string | null;
  readonly analyzerReason: string | null;
  readonly analyzerAt: Date;
  readonly cursorNumber: number | null;
  readonly workerReason: string | null;
  readonly balanceStatus: string | null;
  readonly balanceReason: string | null;
  readonly balanceAt: Date;
  readonly roundStartedAt: Date | null;
  readonly roundEndedAt: Date | null;
  readonly roundBeforeAt: Date | null;
  readonly incidentCount: number;
}

const TEXT = `
  SELECT clock_timestamp() AS "readAt", b.gid, b.family, b.name, b.short_name AS "shortName", b.image_url AS "imageUrl", b.is_active AS "isActive",
         b.endpoint_sealed AS "endpointSealed", b.other_endpoints_sealed AS "otherEndpointsSealed", b.unproved, b.updated_at AS "updatedAt",
         i.status AS "ingestorStatus", i.reason AS "ingestorReason", i.updated_at AS "ingestorAt", i.head_number AS "headNumber", i.node_head_number AS "nodeHeadNumber", i.block_time_ms AS "blockTimeMs", i.finalized_number AS "finalizedNumber",
         a.status AS "analyzerStatus", a.reason AS "analyzerReason", a.updated_at AS "analyzerAt", a.cursor_number AS "cursorNumber", a.worker_reason AS "workerReason",
         s.status AS "balanceStatus", s.reason AS "balanceReason", s.updated_at AS "balanceAt",
         r.started_at AS "roundStartedAt", r.ended_at AS "roundEndedAt", r.previous_at AS "roundBeforeAt",
         (SELECT count(*)::int FROM incidents n WHERE n.chain_gid = b.gid AND n.status IN ('open', 'quarantined')) AS "incidentCount"
  FROM blockchains b LEFT JOIN ingestor_states i ON i.chain_gid = b.gid LEFT JOIN analyzer_states a ON a.chain_gid = b.gid LEFT JOIN balance_states s ON s.chain_gid = b.gid
       LEFT JOIN balance_rounds r ON r.chain_gid = b.gid`;

/**
 * The record of a chain by its canonical gid, in one statement: through Prisma it would cost as much as hundreds of
 * requests.
 */
export async function readChainRecord(sql: Sql, gid: string): Promise<BlockchainRecord | undefined> {
  const { rows } = await sql.query<Row>({
    name: 'chain-record',
    text: `${TEXT} WHERE b.gid = $1`,
    values: [gid],
  });
  return rows.map(toRecord)[0];
}

/** The records of `gids`, in that order. */
export async function readChainRecords(sql: Sql, gids: readonly string[]): Promise<BlockchainRecord[]> {
  const { rows } = await sql.query<Row>({
    name: 'chain-records',
    text: `${TEXT} WHERE b.gid = ANY($1) ORDER BY array_position($1, b.gid)`,
    values: [gids],
  });
  return rows.map(toRecord);
}

export async function readActiveChainRecords(sql: Sql): Promise<BlockchainRecord[]> {
  const { rows } = await sql.query<Row>({
    name: 'active-chain-records',
    text: `${TEXT} WHERE b.is_active ORDER BY b.gid`,
  });
  return rows.map(toRecord);
}

function toRecord(row: Row): BlockchainRecord {
  const { ingestorStatus, analyzerStatus, balanceStatus } = row;
  return toBlockchainRecord(
    {
      ...row,
      ingestorState:
        ingestorStatus === null
          ? null
          : {
              status: ingestorStatus,
              reason: row.ingestorReason,
              updatedAt: row.ingestorAt,
              headNumber: row.headNumber,
              nodeHeadNumber: row.nodeHeadNumber,
              blockTimeMs: row.blockTimeMs,
              finalizedNumber: row.finalizedNumber,
            },
      analyzerState:
        analyzerStatus === null
          ? null
          : {
              status: analyzerStatus,
              reason: row.analyzerReason,
              updatedAt: row.analyzerAt,
              cursorNumber: row.cursorNumber,
              workerReason: row.workerReason,
            },
      balanceState:
        balanceStatus === null
          ? null
          : { status: balanceStatus, reason: row.balanceReason, updatedAt: row.balanceAt },
      balanceRound:
        row.roundStartedAt === null
          ? null
          : { startedAt: row.roundStartedAt, endedAt: row.roundEndedAt, previousAt: row.roundBeforeAt },
      _count: { incidents: row.incidentCount },
    },
    row.readAt,
  );
}
