// SPDX-License-Identifier: Apache-2.0
import { ApiError } from './client.ts';

/** An answer of the RPC gateway or the playground, as it came. */
interface BesideAnswer {
  readonly status: number;
  readonly text: string;
}

interface BesideRequest {
  readonly headers?: Readonly<Record<string, string>>;
  /** Undefined: GET. */
  readonly body?: string;
}

/** Calls what stands beside the API, never with the session. @throws TypeError when it does not answer */
export async function callBeside(url: string, { headers, body }: BesideRequest = {}): Promise<BesideAnswer> {
  const response = await fetch(url, {
    method: body === undefined ? 'GET' : 'POST',
    credentials: 'omit',
    headers: { ...headers, ...(body !== undefined && { 'Content-Type': 'application/json' }) },
    body,
  });
  return { status: response.status, text: await response.text() };
}

/** The same as JSON. @throws ApiError with what it says */
export async function readBeside<T>(url: string, body?: object): Promise<T> {
  const { status, text } = await callBeside(url, body && { body: JSON.stringify(body) });
  if (status >= 400) throw new ApiError(status, { detail: reasonIn(text) }, null);
  return JSON.parse(text) as T;
}

function reasonIn(text: string): string {
  try {
    const { detail, error } = JSON.parse(text) as { detail?: string; error?: string };
    return detail ?? error ?? text;
  } catch {
    return text;
  }
}
