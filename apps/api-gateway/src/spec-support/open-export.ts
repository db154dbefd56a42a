// SPDX-License-Identifier: Apache-2.0
import { once } from 'node:events';
import { request, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

interface ExportRequest {
  readonly server: Server;
  /** Behind `/v1`. */
  readonly path: string;
  readonly key: string;
  /** Default NDJSON. */
  readonly accept?: string;
}

/** Sends the request on a connection of its own. The answer is read only when its caller reads it. */
export async function openExport({
  server,
  path,
  key,
  accept = 'application/x-ndjson',
}: ExportRequest): Promise<IncomingMessage> {
  const { port } = server.address() as AddressInfo;
  const sent = request({
    ...{ host: '127.0.0.1', port, path: `/v1${path}`, agent: false },
    headers: { 'x-api-key': key, accept },
  }).end();
  const [answer] = (await once(sent, 'response')) as [IncomingMessage];
  return answer;
}

/** What came, and whether it was cut off before its end. */
export async function readExport(answer: IncomingMessage): Promise<{ text: string; isCut: boolean }> {
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of answer) chunks.push(chunk as Buffer);
  } catch {
    return { text: Buffer.concat(chunks).toString(), isCut: true };
  }
  return { text: Buffer.concat(chunks).toString(), isCut: !answer.complete };
}

export function toRecords(text: string): Record<string, unknown>[] {
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}
