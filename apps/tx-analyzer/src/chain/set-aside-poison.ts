// SPDX-License-Identifier: Apache-2.0
import { endRehearsal, findPoison, rehearse, type Poison } from '@chainwatch/quarantine';
import { recordPoison } from '../commit/record-poison.ts';
import { writeStep, type StepInput } from '../commit/run-step.ts';
import { movedTokens } from '../match/prepare-blocks.ts';
import type { BlocksStep } from '../model/blocks-step.ts';
import type { ChainContext } from '../model/chain-context.ts';
import type { MatchedTransaction } from '../model/matched-transaction.ts';
import { keyOf, type SetAsideKey } from '../model/set-asides.ts';
import type { ChainAnalyzerDeps } from './chain-analyzer-deps.ts';
import { planStep, type StepParts, type StepWork } from './run-chain-step.ts';

/**
 * Finds the transactions that make a step fail even alone, and sets them aside: what a transaction means to one project,
 * or, where it cannot even be looked at, the transaction for everybody.
 */
export async function setAsidePoison(
  deps: Pick<ChainAnalyzerDeps, 'db' | 'now' | 'logger'>,
  parts: StepParts,
  work: StepWork,
): Promise<void> {
  const { chain } = parts;
  const plan = (): Promise<StepInput> => {
    return planStep(deps, parts, work);
  };
  const poison = (await findAmongMatches(chain, plan)) ?? (await findAmongTransactions(parts, work, plan));
  if (poison.length === 0) return;
  deps.logger.error(
    { chain_gid: chain.gid, hashes: poison.map(({ item }) => item.hash), err: poison[0]!.error },
    'transactions that made a step fail were set aside',
  );
  await chain.share.transaction((sql) => recordPoison(sql, chain, poison));
  await chain.setAsides.load(deps.db, chain.gid);
}

/** Undefined: it is none of what was matched. */
async function findAmongMatches(
  chain: ChainContext,
  plan: () => Promise<StepInput>,
): Promise<Poison<SetAsideKey>[] | undefined> {
  const input = await plan().catch(() => undefined);
  if (input === undefined) return undefined;
  const { retroactive, matches } = input.step;
  const keys = [...retroactive, ...matches].map(toKey);
  const nativeGid = chain.network.native?.gid;
  const poison = await findPoison(keys, (some) =>
    rehearseStep(chain, { ...input, step: keepMatches(input.step, new Set(some.map(keyOf)), nativeGid) }),
  );
  return poison.length === 0 ? undefined : poison;
}

async function findAmongTransactions(
  { chain }: StepParts,
  { segment }: StepWork,
  plan: () => Promise<StepInput>,
): Promise<Poison<SetAsideKey>[]> {
  const keys = segment.blocks.flatMap(({ block }) =>
    block === undefined
      ? []
      : chain.setAsides
          .keep(block)
          .map(({ hash }): SetAsideKey => ({ block: { number: block.number, hash: block.hash }, hash })),
  );
  return findPoison(keys, (some) =>
    chain.setAsides.withOnly(some, { among: keys }, async () => rehearseStep(chain, await plan())),
  );
}

function toKey({ block, transaction: { hash }, projectId }: MatchedTransaction): SetAsideKey {
  return { block: { number: block.number, hash: block.hash }, hash, projectId };
}

function keepMatches(step: BlocksStep, keys: ReadonlySet<string>, nativeGid: string | undefined): BlocksStep {
  const isKept = (match: MatchedTransaction): boolean => keys.has(keyOf(toKey(match)));
  const [retroactive, matches] = [step.retroactive.filter(isKept), step.matches.filter(isKept)];
  const moved = movedTokens([...retroactive, ...matches], nativeGid);
  return { ...step, retroactive, matches, newAssets: step.newAssets.filter(({ gid }) => moved.has(gid)) };
}

/** Writes the step, and takes it back. */
function rehearseStep(chain: ChainContext, input: StepInput): Promise<void> {
  return rehearse(() =>
    chain.share.transaction(async (sql) => {
      await writeStep({ sql, chain, now: input.now }, input);
      return endRehearsal(sql);
    }),
  );
}
