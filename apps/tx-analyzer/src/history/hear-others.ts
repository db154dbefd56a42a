// SPDX-License-Identifier: Apache-2.0
import type { Block, FailoverClient } from '@chainwatch/chain-core';
import { attestedDifferently, describeAttested, judgeOpinions } from '../commit/judge-opinions.ts';
import { awaitsOthers } from '../commit/write-attested.ts';
import type { ChainContext } from '../model/chain-context.ts';
import type { MatchedTransaction } from '../model/matched-transaction.ts';

interface Heard {
  readonly blocks: readonly Block[];
  readonly matches: readonly MatchedTransaction[];
}

interface HearDeps {
  readonly chain: Pick<ChainContext, 'hasOthers' | 'endpointOf'>;
  readonly client: Pick<FailoverClient, 'clients' | 'readBlockElsewhere'>;
  readonly signal: AbortSignal;
}

/**
 * Asks endpoints of other operators about what one node attests, before history confirms it: the same is `agreed`, a
 * contradiction leaves it `unproved` with an incident of its block, and without an answer it is confirmed as ever.
 */
export async function hearOthers(deps: HearDeps, { blocks, matches }: Heard): Promise<Heard> {
  const heard = await Promise.all(
    blocks.map((block) =>
      hearOf(
        deps,
        block,
        matches.filter((match) => match.block.hash === block.hash),
      ),
    ),
  );
  return { blocks: heard.map(({ block }) => block), matches: heard.flatMap((one) => one.matches) };
}

async function hearOf(
  { chain, client, signal }: HearDeps,
  block: Block,
  matches: readonly MatchedTransaction[],
): Promise<{ readonly block: Block; readonly matches: readonly MatchedTransaction[] }> {
  const isAsked = ({ transaction }: MatchedTransaction): boolean =>
    awaitsOthers(chain, transaction.verification);
  if (!matches.some(isAsked)) return { block, matches };
  const endpoint = chain.endpointOf(block) ?? '';
  const opinions = await client.readBlockElsewhere(block, endpoint, signal);
  const labels = new Set(client.clients.map(({ label }) => label));
  const judged = matches.map((match) => {
    const told = describeAttested(match.transaction, block.leavesOut);
    return {
      match,
      verdict: isAsked(match) ? judgeOpinions(told, { endpoint, labels, opinions }) : undefined,
    };
  });
  const disputed = judged.find(({ verdict }) => verdict === 'contradicted');
  const told: Block =
    disputed === undefined
      ? block
      : {
          ...block,
          unknowns: [...(block.unknowns ?? []), attestedDifferently([disputed.match.transaction.hash])],
        };
  return {
    block: told,
    matches: judged.map(({ match, verdict }) => ({
      ...match,
      block: told,
      transaction:
        verdict === undefined
          ? match.transaction
          : { ...match.transaction, verification: verdict === 'agreed' ? 'agreed' : 'unproved' },
    })),
  };
}
