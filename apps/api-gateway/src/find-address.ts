import { notFound } from '@chainwatch/problem';
import type { ApiDeps } from './api-deps.ts';
import type { Principal } from './auth/principal.ts';
import { listCanonicalForms } from './parse-address.ts';
import { addressInclude } from './records/address.ts';
import type { AddressRow } from './records/address.ts';

/** The project's address in any form its family reads. @throws ProblemError 404, also when it is another project's */
export async function findAddress({ prisma }: Pick<ApiDeps, 'prisma'>, principal: Principal, input: string): Promise<AddressRow> {
  const row = await prisma.address.findFirst({
    where: { projectId: principal.projectId, address: { in: await listCanonicalForms(input) } },
    include: addressInclude,
    orderBy: { createdAt: 'asc' },
  });
  if (!row) throw notFound(`There is no address ${input.slice(0, 128)} in this project.`);
  return row;
}
