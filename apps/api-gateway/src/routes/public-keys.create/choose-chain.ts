// SPDX-License-Identifier: Apache-2.0
import type { ApiDeps } from '../../server/api-deps.ts';

/** Chooses among the networks that a path may mean: the only monitored one, otherwise the first. */
export async function chooseChain(
  { prisma }: Pick<ApiDeps, 'prisma'>,
  networkGids: readonly string[],
): Promise<string> {
  const active = await prisma.blockchain.findMany({
    where: { gid: { in: [...networkGids] }, isActive: true },
    select: { gid: true },
  });
  return active.length === 1 ? active[0]!.gid : networkGids[0]!;
}
