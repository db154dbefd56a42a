import { parentPort } from 'node:worker_threads';
import {
  describePublicly,
  UnknownContentError,
  type ActiveChain,
  type Block,
  type ChainClient,
} from '@chainwatch/chain-core';
import { readConfig } from './config.ts';
import { createOpenChain } from './open-chain.ts';
import type { ThreadReply, ThreadRequest } from './feed/thread-messages.ts';

// Runs as a thread of tx-analyzer (body-threads.ts): reads, proves and decodes whole blocks.

const openChain = createOpenChain(readConfig());
const clients = new Map<number, Promise<ChainClient>>();
const readings = new Map<number, AbortController>();

parentPort!.on('message', (request: ThreadRequest) => {
  switch (request.type) {
    case 'open':
      clients.set(request.readerId, open(request.chain));
      return;
    case 'read':
      void read(request).then((reply) => parentPort!.postMessage(reply));
      return;
    case 'abort':
      readings.get(request.id)?.abort();
      return;
    case 'close':
      void clients.get(request.readerId)?.then(
        (client) => client.close(),
        () => undefined,
      );
      clients.delete(request.readerId);
  }
});

function open(chain: ActiveChain): Promise<ChainClient> {
  const opening = openChain(chain).then(({ client }) => client);
  // The reads that await it report the failure.
  opening.catch(() => undefined);
  return opening;
}

/** Lazily decoded parts do not cross to another thread: they are not needed there. */
function toMessage({
  number,
  hash,
  parentHash,
  parentNumber,
  timestamp,
  transactions,
  balanceChanges,
  touchedAssets,
}: Block): Block {
  return {
    number,
    hash,
    parentHash,
    parentNumber,
    timestamp,
    transactions,
    balanceChanges,
    touchedAssets,
  };
}

async function read({ readerId, id, ref }: Extract<ThreadRequest, { type: 'read' }>): Promise<ThreadReply> {
  const abort = new AbortController();
  readings.set(id, abort);
  try {
    const client = await clients.get(readerId)!;
    return { type: 'block', id, block: toMessage(await client.readBlock(ref, abort.signal)) };
  } catch (error) {
    return {
      type: 'error',
      id,
      message: String(error),
      publicMessage: describePublicly(error),
      ...(error instanceof UnknownContentError ? { unknowns: error.unknowns } : {}),
    };
  } finally {
    readings.delete(id);
  }
}
