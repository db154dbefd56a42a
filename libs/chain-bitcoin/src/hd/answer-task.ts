import type { DerivationAnswer, DerivationTask } from './derivation-task.ts';
import { encodeAddresses } from './encode-addresses.ts';
import { deriveNode, derivePoints, toPublicNode } from './public-node.ts';
import type { PublicNode } from './public-node.ts';

/** Accounts come back, for the next index or the next slice: their receive and change nodes are kept. */
const nodes = new Map<string, PublicNode>();
const nodesMax = 512;

export function answerTask(task: DerivationTask): DerivationAnswer {
  try {
    const points = derivePoints(findNode(task), task.indexes);
    return { addresses: encodeAddresses(points, task.format, task.prefixes) };
  } catch (error) {
    return { fault: error instanceof Error ? error.message : String(error) };
  }
}

function findNode({ publicKey, chainCode, change }: DerivationTask): PublicNode {
  const key = `${Buffer.from(publicKey).toString('hex')}:${Buffer.from(chainCode).toString('hex')}:${change}`;
  const node = nodes.get(key) ?? deriveNode(toPublicNode(publicKey, chainCode), change);
  // Put last: what is dropped is what was not used for longest.
  nodes.delete(key);
  nodes.set(key, node);
  if (nodes.size > nodesMax) nodes.delete(nodes.keys().next().value!);
  return node;
}
