// SPDX-License-Identifier: Apache-2.0
import { text as readText } from 'node:stream/consumers';
import { createHttpClient } from '@chainwatch/outbound';

const client = createHttpClient({ connectTimeoutMs: 10_000 });

interface Asked {
  /** POST; else GET. */
  readonly form?: Readonly<Record<string, string>> | undefined;
  readonly headers?: Readonly<Record<string, string>>;
}

interface Place {
  readonly url: URL;
  readonly status: number;
  readonly text: string;
}

/** A browser without a window: it keeps the cookies of each host, and follows redirects step by step. */
export class Walker {
  readonly #jars = new Map<string, Map<string, string>>();
  /** Set-Cookie headers as they came, the last ones last. */
  readonly cookiesSet: string[] = [];
  /** Addresses that were asked, in order. */
  readonly way: URL[] = [];

  /** The cookies that this browser has for a host, as it would send them. */
  cookieFor(origin: string): string {
    return [...(this.#jars.get(origin) ?? [])].map(([name, value]) => `${name}=${value}`).join('; ');
  }

  /** Another browser with the same cookies. */
  copy(): Walker {
    const other = new Walker();
    for (const [origin, jar] of this.#jars) other.#jars.set(origin, new Map(jar));
    return other;
  }

  /** One request, without following. */
  async ask(url: URL | string, { form, headers }: Asked = {}): Promise<Place & { to: URL | undefined }> {
    const asked = new URL(url);
    this.way.push(asked);
    const response = await client.request({
      url: asked.href,
      method: form ? 'POST' : 'GET',
      headers: {
        cookie: this.cookieFor(asked.origin),
        accept: 'text/html',
        ...(form && { 'content-type': 'application/x-www-form-urlencoded;charset=UTF-8' }),
        ...headers,
      },
      ...(form && { body: new URLSearchParams(form).toString() }),
    });
    const { location, 'set-cookie': cookies = [] } = response.headers;
    this.#keep(asked.origin, cookies);
    const text = await readText(response.body);
    return { url: asked, status: response.status, text, to: location ? new URL(location, asked) : undefined };
  }

  /** Follows until a page is shown, or until it would go to `before`. */
  async go(
    url: URL | string,
    { form, before }: { form?: Readonly<Record<string, string>>; before?: (to: URL) => boolean } = {},
  ): Promise<Place & { to: URL | undefined }> {
    let place = await this.ask(url, { form });
    for (let steps = 0; place.to !== undefined && !before?.(place.to) && steps < 20; steps += 1)
      place = await this.ask(place.to);
    return place;
  }

  #keep(origin: string, cookies: readonly string[]): void {
    const jar = this.#jars.get(origin) ?? new Map<string, string>();
    this.#jars.set(origin, jar);
    for (const cookie of cookies) {
      this.cookiesSet.push(cookie);
      const [name = '', value = ''] = cookie.split(';', 1)[0]!.split(/=(.*)/s);
      if (value === '' || /expires=Thu, 01 Jan 1970/i.test(cookie)) jar.delete(name);
      else jar.set(name, value);
    }
  }
}
