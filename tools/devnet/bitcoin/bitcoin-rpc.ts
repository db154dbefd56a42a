// SPDX-License-Identifier: Apache-2.0
const TIMEOUT_MS = 60_000;

export class BitcoinRpcError extends Error {
  readonly code: number;
  constructor(method: string, code: number, message: string) {
    super(`${method}: ${message} (${code})`);
    this.name = 'BitcoinRpcError';
    this.code = code;
  }
}

export interface BitcoinRpc {
  /** @throws BitcoinRpcError when the node answers with an error */
  call<T>(method: string, params?: readonly unknown[]): Promise<T>;
  /** The answers in the order of `paramsList`. @throws BitcoinRpcError for the first error */
  batch<T>(method: string, paramsList: readonly (readonly unknown[])[]): Promise<T[]>;
}

interface Answer {
  readonly id: number;
  readonly result: unknown;
  readonly error?: { readonly code: number; readonly message: string } | null;
}

/** @param url with user and password, as in `http://user:password@127.0.0.1:18443` */
export function createBitcoinRpc(url: string): BitcoinRpc {
  const { username, password, origin, pathname } = new URL(url);
  const authorization = `Basic ${btoa(`${decodeURIComponent(username)}:${decodeURIComponent(password)}`)}`;
  const post = async (body: unknown): Promise<unknown> => {
    const response = await fetch(`${origin}${pathname}`, {
      method: 'POST',
      // A node that closes an idle connection just when it is used again would fail the call.
      headers: { 'content-type': 'application/json', authorization, connection: 'close' },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    const text = await response.text();
    // bitcoind answers errors with 404 and 500 and says in the body what went wrong.
    if (!text.startsWith('{') && !text.startsWith('['))
      throw new Error(
        `expected JSON from the Bitcoin node, got status ${response.status} ${text.slice(0, 200)}`,
      );
    return JSON.parse(text);
  };
  return {
    async call<T>(method: string, params: readonly unknown[] = []) {
      return readResult<T>(method, (await post({ id: 0, method, params })) as Answer);
    },
    async batch<T>(method: string, paramsList: readonly (readonly unknown[])[]) {
      if (paramsList.length === 0) return [];
      const answers = (await post(paramsList.map((params, id) => ({ id, method, params })))) as Answer[];
      return [...answers]
        .sort((one, other) => one.id - other.id)
        .map((answer) => readResult<T>(method, answer));
    },
  };
}

function readResult<T>(method: string, { result, error }: Answer): T {
  if (error) throw new BitcoinRpcError(method, error.code, error.message);
  return result as T;
}
