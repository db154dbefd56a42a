import type { BlockHeader } from '@chainwatch/chain-core';
import { SocketTransport } from './socket-transport.ts';
import type { SocketTransportOptions } from './socket-transport.ts';

export interface HeadSubscription {
  readonly socket: Omit<SocketTransportOptions, 'onNotification' | 'onClose'>;
  /** Turns a pushed header into a proved one; asks the node again where the push is not enough. */
  readonly toHeader: (pushed: unknown) => BlockHeader | Promise<BlockHeader>;
  readonly onHead: (header: BlockHeader) => void;
  /** Called once, with the reason, unless stopped before. */
  readonly onEnd: (error: Error) => void;
}

/** `eth_subscribe newHeads` on a socket of its own. Returns stop. */
export function subscribeHeads({ socket, toHeader, onHead, onEnd }: HeadSubscription): () => void {
  let isOver = false;
  let order = Promise.resolve();
  const end = (error: Error): void => {
    if (isOver) return;
    isOver = true;
    transport.close();
    onEnd(error);
  };
  const transport = new SocketTransport({
    ...socket,
    onClose: end,
    onNotification: (_subscription, pushed) => {
      // One after the other, so that heads arrive in the node's order even when one has to be asked for.
      order = order
        .then(async () => {
          const header = await toHeader(pushed);
          if (!isOver) onHead(header);
        })
        .catch(end);
    },
  });
  transport.call('eth_subscribe', ['newHeads']).catch(end);
  return () => {
    isOver = true;
    transport.close();
  };
}
