import type { z } from 'zod';
import type { ApiDeps } from '../api-deps.ts';
import { readAddresses } from '../read-addresses.ts';
import { addressInclude } from '../records/address.ts';
import type { hdAddressSchema } from '../records/address.ts';

/** Rows that are made into records in one go: the event loop has others to serve. */
const atOnce = 100;

/** Addresses of one chain of a key, in the order of their indexes in `indexes`; one that was deleted meanwhile is left out. */
export async function readGenerated(
  { prisma, db }: Pick<ApiDeps, 'prisma' | 'db'>,
  publicKeyId: string,
  change: number,
  indexes: readonly number[],
): Promise<z.infer<typeof hdAddressSchema>[]> {
  const records: z.infer<typeof hdAddressSchema>[] = [];
  for (let start = 0; start < indexes.length; start += atOnce) {
    const wanted = indexes.slice(start, start + atOnce);
    const rows = await prisma.address.findMany({ where: { publicKeyId, derivationChange: change, derivationIndex: { in: wanted } }, include: addressInclude });
    const byIndex = new Map((await readAddresses(db, rows)).flatMap((record) => (record.kind === 'hd' ? [[record.index, record] as const] : [])));
    records.push(...wanted.flatMap((index) => byIndex.get(index) ?? []));
  }
  return records;
}
