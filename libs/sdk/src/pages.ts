// SPDX-License-Identifier: Apache-2.0
interface AnyPage {
  readonly items: readonly unknown[];
  readonly meta: { readonly next_cursor?: string };
}

type ItemOf<Page extends AnyPage> = Page['items'][number];

/**
 * A list: `await` it for its first page, or iterate over it for every item. Iterating follows cursors, so rows that come
 * and go meanwhile neither hide an item nor show one twice. Nothing is asked before one of the two happens.
 *
 * @example
 * const { items, meta } = await chainwatch.addresses.list({ limit: 10 });
 * for await (const address of chainwatch.addresses.list({ groups: ['customers'] })) console.log(address.address);
 */
export class Pages<Page extends AnyPage> implements PromiseLike<Page>, AsyncIterable<ItemOf<Page>> {
  readonly #read: (query: object) => Promise<Page>;
  readonly #query: object;
  #first: Promise<Page> | undefined;

  constructor(query: object | undefined, read: (query: object) => Promise<Page>) {
    this.#query = query ?? {};
    this.#read = read;
  }

  then<A = Page, B = never>(
    onPage?: ((page: Page) => A | PromiseLike<A>) | null,
    onError?: ((error: unknown) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    this.#first ??= this.#read(this.#query);
    return this.#first.then(onPage, onError);
  }

  /** Page by page, from where the query begins. */
  async *pages(): AsyncGenerator<Page, void> {
    const { page: _page, ...query } = this.#query as Record<string, unknown>;
    for (let page = await this.#read(this.#query); ; ) {
      yield page;
      const cursor = page.meta.next_cursor;
      if (cursor === undefined) return;
      page = await this.#read({ ...query, cursor });
    }
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<ItemOf<Page>, void> {
    for await (const { items } of this.pages()) yield* items as Iterable<ItemOf<Page>>;
  }
}
