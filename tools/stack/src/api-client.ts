// SPDX-License-Identifier: Apache-2.0
export class ApiError extends Error {
  readonly status: number;
  constructor(method: string, path: string, status: number, body: string) {
    super(`${method} ${path} answered ${status}: ${body}`);
    this.name = 'ApiError';
    this.status = status;
  }
}

export interface ApiClient {
  /** @throws ApiError on every status but 2xx and those of `expected` */
  call<T>(method: string, path: string, body?: unknown, expected?: readonly number[]): Promise<T>;
}

/** The platform API with one key. */
export function createApiClient(apiUrl: string, key: string): ApiClient {
  return {
    async call<T>(
      method: string,
      path: string,
      body?: unknown,
      expected: readonly number[] = [],
    ): Promise<T> {
      const response = await fetch(`${apiUrl}${path}`, {
        method,
        headers: { 'x-api-key': key, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
        body: body === undefined ? undefined : JSON.stringify(body),
        signal: AbortSignal.timeout(15_000),
      });
      const text = await response.text();
      if (!response.ok && !expected.includes(response.status))
        throw new ApiError(method, path, response.status, text);
      return (text === '' ? undefined : JSON.parse(text)) as T;
    },
  };
}
