// SPDX-License-Identifier: Apache-2.0
import { SocketClient } from '../tenants/socket-client.ts';

export interface HeadFollower {
  /** What its sockets were closed with. */
  readonly codes: readonly number[];
  readonly faults: readonly string[];
  /** Numbers of the heads that it was told of, over all sockets. */
  readonly heads: ReadonlySet<number>;
  stop(): Promise<void>;
}

interface Message {
  readonly error?: unknown;
  readonly params?: { readonly result: { readonly number: string } };
}

const SUBSCRIBE = '{"jsonrpc":"2.0","id":1,"method":"eth_subscribe","params":["newHeads"]}';

/** A client that subscribes to heads, and connects again whenever its socket is closed. */
export function followHeads(url: string, key: string): HeadFollower {
  const codes: number[] = [];
  const faults: string[] = [];
  const heads = new Set<number>();
  let client: SocketClient | undefined;
  let isStopped = false;
  const follow = (): Promise<number> => {
    const made = (client = new SocketClient(url, key));
    let isOpen = false;
    made.socket.on('open', () => {
      isOpen = true;
      made.socket.send(SUBSCRIBE);
    });
    made.socket.on('message', (data) => {
      const { error, params } = JSON.parse(String(data)) as Message;
      if (error !== undefined) faults.push(`no subscription: ${JSON.stringify(error)}`);
      if (params !== undefined) heads.add(Number(params.result.number));
    });
    return new Promise((resolve) =>
      made.socket.once('close', (code) => {
        if (!isOpen && !isStopped) faults.push(`no socket: ${made.refusedWith ?? code}`);
        resolve(code);
      }),
    );
  };
  const running = (async () => {
    while (!isStopped) {
      const code = await follow();
      if (!isStopped) codes.push(code);
    }
  })();
  return {
    codes,
    faults,
    heads,
    async stop() {
      isStopped = true;
      client?.socket.terminate();
      await running;
    },
  };
}
