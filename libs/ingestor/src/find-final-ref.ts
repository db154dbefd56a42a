import type { BlockRef, ChainClient, ConfirmationPolicy } from '@chainwatch/chain-core';
import type { FinalRef } from './chain-follower.ts';

interface Finality {
  readonly client: Pick<ChainClient, 'findFinalized' | 'findHeaderByNumber'>;
  readonly policy: ConfirmationPolicy;
  readonly signal: AbortSignal;
}

/**
 * What may be final while our head is `head`: the node's answer if the policy asks for it and the node has one,
 * else the depth rule.
 */
export async function findFinalRef(
  { client, policy, signal }: Finality,
  head: BlockRef,
): Promise<FinalRef | undefined> {
  const told = policy.type === 'tag' ? await client.findFinalized(signal) : undefined;
  if (told === undefined) {
    const number = head.number - policy.depth + 1;
    return number < 0 ? undefined : { number };
  }
  if (told.number <= head.number) return told;
  // The node's final block is above our head: our head is final too if the node has it on its chain.
  const header = await client.findHeaderByNumber(head.number, signal);
  return header === undefined ? undefined : { number: header.number, hash: header.hash };
}
