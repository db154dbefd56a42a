import type { z } from 'zod';
import type { Sql } from '@chainwatch/db';
import { toBlockchainRecord } from './records/blockchain.ts';
import type { BlockchainState, blockchainSchema } from './records/blockchain.ts';

/** Flat, as SQL gives it. */
interface Row extends Omit<BlockchainState, 'ingestorState' | 'analyzerState'> {
  readonly ingestorStatus: string | null;
  readonly ingestorReason: string | null;
  readonly headNumber: number | null;
  readonly finalizedNumber: number | null;
  readonly analyzerStatus: string | null;
  readonly analyzerReason: string | null;
  readonly cursorNumber: number | null;
}

const TEXT = `
  SELECT b.gid, b.family, b.name, b.short_name AS "shortName", b.image_url AS "imageUrl", b.is_active AS "isActive",
         b.endpoint_sealed AS "endpointSealed", b.evm_endpoint_sealed AS "evmEndpointSealed",
         i.status AS "ingestorStatus", i.reason AS "ingestorReason", i.head_number AS "headNumber", i.finalized_number AS "finalizedNumber",
         a.status AS "analyzerStatus", a.reason AS "analyzerReason", a.cursor_number AS "cursorNumber"
  FROM blockchains b LEFT JOIN ingestor_states i ON i.chain_gid = b.gid LEFT JOIN analyzer_states a ON a.chain_gid = b.gid
  WHERE b.gid = $1`;

/** The record of a chain by its canonical gid, in one statement: through Prisma it costs as much as hundreds of requests. */
export async function readChainRecord(sql: Sql, gid: string): Promise<z.infer<typeof blockchainSchema> | undefined> {
  const { rows } = await sql.query<Row>({ name: 'chain-record', text: TEXT, values: [gid] });
  const row = rows[0];
  if (row === undefined) return undefined;
  const { ingestorStatus, ingestorReason, headNumber, finalizedNumber, analyzerStatus, analyzerReason, cursorNumber } = row;
  return toBlockchainRecord({
    ...row,
    ingestorState: ingestorStatus === null ? null : { status: ingestorStatus, reason: ingestorReason, headNumber, finalizedNumber },
    analyzerState: analyzerStatus === null ? null : { status: analyzerStatus, reason: analyzerReason, cursorNumber },
  });
}
