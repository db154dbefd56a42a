// SPDX-License-Identifier: Apache-2.0
export interface Reply {
  readonly status: number;
  readonly headers: Headers;
  /** Undefined for none. */
  readonly body: unknown;
}

/** One request with one key; a string goes as it stands, anything else as JSON. */
export type Client = (
  method: string,
  path: string,
  body?: unknown,
  headers?: Readonly<Record<string, string>>,
) => Promise<Reply>;

let asked = 0;

/** Each request comes from another address, so that those without a key are not counted together. */
export function connectAs(baseUrl: string, key: string | undefined): Client {
  return async (method, path, body, headers = {}) => {
    asked += 1;
    const res = await fetch(baseUrl + path, {
      method,
      headers: {
        'x-forwarded-for': `10.${(asked >> 16) % 256}.${(asked >> 8) % 256}.${asked % 256}`,
        ...(key !== undefined && { 'x-api-key': key }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const text = await res.text();
    return { status: res.status, headers: res.headers, body: parse(text) };
  };
}

/** What is no JSON stays text, so that a check can say what came instead. */
function parse(text: string): unknown {
  if (text === '') return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
