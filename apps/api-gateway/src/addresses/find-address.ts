// SPDX-License-Identifier: Apache-2.0
import type { Principal } from '@chainwatch/data/key-store';
import { notFound } from '@chainwatch/common/problem';
import type { ApiDeps } from '../api-deps.ts';
import { listCanonicalForms } from './parse-address.ts';
import { ADDRESS_INCLUDE } from '../records/address.ts';
import type { AddressRow } from '../records/address.ts';

/**
 * Finds the project's address by any form that its family reads. @throws ProblemError 404, also if it belongs to
 * another project
 */
export async function findAddress(
  { prisma }: Pick<ApiDeps, 'prisma'>,
  principal: Principal,
  input: string,
): Promise<AddressRow> {
  const forms = await listCanonicalForms(input);
  const rows = await prisma.address.findMany({
    where: { projectId: principal.projectId, address: { in: forms } },
    include: ADDRESS_INCLUDE,
  });
  // The hexadecimal form can name an account in two families: the family that displays this form comes first.
  const [row] = rows.sort((a, b) => forms.indexOf(a.address) - forms.indexOf(b.address));
  if (!row) throw notFound(`There is no address ${input.slice(0, 128)} in this project.`);
  return row;
}
