// SPDX-License-Identifier: Apache-2.0
import { actingHeaders, ApiError, noteSignedOut } from './client.ts';
import type { Reconciliation } from './reconciliation-queries.ts';

export interface LedgerUpload {
  readonly file: File;
  readonly mediaType: string;
  /** Parameters of `POST /reconciliations`. */
  readonly query: Readonly<Record<string, string | undefined>>;
  readonly signal: AbortSignal;
  /** @param sent bytes that have left */
  readonly onProgress: (sent: number) => void;
}

/**
 * Sends a ledger. The browser reads the file while it sends it. `fetch` does not tell how far it is, XMLHttpRequest does.
 * @throws ApiError where the API refuses it, Error where the connection breaks
 */
export function uploadLedger({
  file,
  mediaType,
  query,
  signal,
  onProgress,
}: LedgerUpload): Promise<Reconciliation> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open('POST', `/v1/reconciliations${toQuery(query)}`);
    for (const [name, value] of Object.entries(actingHeaders())) request.setRequestHeader(name, value);
    request.setRequestHeader('Content-Type', mediaType);
    request.upload.onprogress = ({ loaded }) => onProgress(loaded);
    request.onload = () => {
      const { status } = request;
      if (status === 202) return resolve(JSON.parse(request.responseText) as Reconciliation);
      if (status === 401) noteSignedOut();
      const requestId = request.getResponseHeader('X-Request-Id');
      reject(new ApiError(status, parseProblem(request.responseText), requestId));
    };
    request.onerror = () => reject(new Error('The connection broke during the upload. Nothing was kept.'));
    request.onabort = () => reject(new Error('The upload was canceled.'));
    signal.addEventListener('abort', () => request.abort(), { once: true });
    request.send(file);
  });
}

function toQuery(query: LedgerUpload['query']): string {
  const given = Object.entries(query).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value]],
  );
  return given.length === 0 ? '' : `?${new URLSearchParams(given)}`;
}

function parseProblem(text: string): object {
  try {
    return JSON.parse(text) as object;
  } catch {
    return {};
  }
}
