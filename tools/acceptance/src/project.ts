// SPDX-License-Identifier: Apache-2.0
import { waitFor } from '@chainwatch/testing';

/** A project with a key and one webhook channel for every event type. */
export class Project {
  readonly id: string;
  /** Confirmations that it waits for; undefined: for what the chain calls final. */
  depth: number | undefined;
  readonly #apiUrl: string;
  readonly key: string;

  constructor(id: string, apiUrl: string, key: string) {
    this.id = id;
    this.#apiUrl = apiUrl;
    this.key = key;
  }

  /** The same project, by another gateway. */
  at(apiUrl: string): Project {
    return new Project(this.id, apiUrl, this.key);
  }

  /** Waits out a gateway that is being restarted: connection refused is not an answer. */
  async request(method: string, path: string, body?: unknown): Promise<{ status: number; body: unknown }> {
    const deadline = Date.now() + 60_000;
    for (;;) {
      try {
        const res = await fetch(this.#apiUrl + path, {
          method,
          headers: {
            'x-api-key': this.key,
            ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          },
          ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        });
        const text = await res.text();
        if (res.status < 500) return { status: res.status, body: text === '' ? undefined : JSON.parse(text) };
        if (Date.now() > deadline) throw new Error(`${method} ${path}: ${res.status} ${text}`);
      } catch (error) {
        if (Date.now() > deadline) throw error;
      }
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }

  async expect(
    status: number,
    { method, path, body }: { readonly method: string; readonly path: string; readonly body?: unknown },
  ): Promise<void> {
    const answer = await this.request(method, path, body);
    if (answer.status !== status)
      throw new Error(
        `${method} ${path}: expected ${status}, got ${answer.status} ${JSON.stringify(answer.body)}`,
      );
  }

  /** Puts a token on the project's list. 422 where a deep reorg took its contract along: then nobody holds any of it. */
  async listToken(path: string): Promise<void> {
    const { status, body } = await this.request('POST', `/tokens/${path}`);
    if (status !== 201 && status !== 422)
      throw new Error(`POST /tokens/${path}: expected 201 or 422, got ${status} ${JSON.stringify(body)}`);
  }

  async get<T>(path: string): Promise<T> {
    const { status, body } = await this.request('GET', path);
    if (status !== 200) throw new Error(`GET ${path}: expected 200, got ${status} ${JSON.stringify(body)}`);
    return body as T;
  }

  /** Balances by asset; undefined where the service says that it does not know them exactly. Asks again where it says so. */
  async getBalancesAt(
    address: string,
    chainGid: string,
    block: number,
  ): Promise<Record<string, string> | undefined> {
    const path = `/addresses/${address}/balances?at_block=${block}&chain_gid=${chainGid}`;
    const { status, body } = await waitFor(async () => {
      const answer = await this.request('GET', path);
      return answer.status !== 422 || !/Ask again in a moment/.test(JSON.stringify(answer.body))
        ? answer
        : undefined;
    });
    if (status === 200) return body as Record<string, string>;
    const { detail = '' } = body as { detail?: string };
    if (status === 422 && /balances are certain/.test(detail)) return undefined;
    throw new Error(`GET ${path}: expected 200, got ${status} ${JSON.stringify(body)}`);
  }

  async listAll<T>(path: string): Promise<T[]> {
    const items: T[] = [];
    for (let page = 1; ; page += 1) {
      const answer = await this.get<{ items: T[]; meta: { total_pages: number } }>(
        `${path}${path.includes('?') ? '&' : '?'}limit=100&page=${page}`,
      );
      items.push(...answer.items);
      if (page >= answer.meta.total_pages) return items;
    }
  }
}
