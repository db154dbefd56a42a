export interface Reply {
  readonly status: number;
  readonly headers: Headers;
  /** Undefined for none. */
  readonly body: unknown;
}

/** One request with one key; a string goes as it stands, anything else as JSON. */
export type Client = (method: string, path: string, body?: unknown, headers?: Readonly<Record<string, string>>) => Promise<Reply>;

export function connectAs(baseUrl: string, key: string | undefined): Client {
  return async (method, path, body, headers = {}) => {
    const res = await fetch(baseUrl + path, {
      method,
      headers: { ...(key !== undefined && { 'x-api-key': key }), ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
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
