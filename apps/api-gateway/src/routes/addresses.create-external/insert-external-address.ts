import type { ParsedAddress } from '@chainwatch/chain-core';
import type { Sql } from '@chainwatch/db';
import { watchFromHead } from '../../addresses/watch-address.ts';

interface NewAddress {
  readonly projectId: string;
  readonly chainFamily: string;
  readonly parsed: ParsedAddress;
  readonly label: string | null;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly fromBlock?: number;
}

/** Inserts the address and watches it; undefined when the project has it already. */
export async function insertExternalAddress(sql: Sql, address: NewAddress): Promise<string | undefined> {
  const { rows } = await sql.query<{ id: string }>(
    `INSERT INTO addresses (project_id, chain_family, address, display, kind, format, label, metadata, imported_at)
     VALUES ($1, $2, $3, $4, 'external', $5, $6, $7, now())
     ON CONFLICT (project_id, chain_family, address) DO NOTHING RETURNING id`,
    [
      address.projectId,
      address.chainFamily,
      address.parsed.canonical,
      address.parsed.display,
      address.parsed.format,
      address.label,
      JSON.stringify(address.metadata),
    ],
  );
  const id = rows[0]?.id;
  const { chainFamily, parsed, fromBlock } = address;
  if (id !== undefined)
    await watchFromHead(sql, { ids: [id], chainFamily, networkGids: parsed.networkGids, fromBlock });
  return id;
}
