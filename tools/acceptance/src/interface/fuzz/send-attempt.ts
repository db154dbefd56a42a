// SPDX-License-Identifier: Apache-2.0
import { Agent, request } from 'node:http';
import type { Answer } from '../../../../../apps/api-gateway/src/spec-support/contract.ts';
import type { Attempt } from './attempts.ts';

/** Longest wait for an answer: longer than the gateway lets a handler take. */
const TIMEOUT_MS = 120_000;
const agent = new Agent({ keepAlive: true });

/** Sends a request exactly as it stands, and reads the whole answer. @throws Error when there is none */
export function sendAttempt(origin: string, attempt: Attempt): Promise<Answer> {
  const { hostname: host, port } = new URL(origin);
  const { method, target: path, body } = attempt;
  const { 'transfer-encoding': encoding, 'content-encoding': compression, ...bare } = attempt.headers;
  const length =
    body === undefined
      ? {}
      : {
          ...(compression !== undefined && { 'content-encoding': compression }),
          ...(encoding === undefined
            ? { 'content-length': Buffer.byteLength(body) }
            : { 'transfer-encoding': encoding }),
        };
  return new Promise((resolve, reject) => {
    const req = request(
      { host, port, method, path, agent, headers: { ...bare, ...length }, timeout: TIMEOUT_MS },
      (res) => {
        const chunks: Buffer[] = [];
        const finish = (): void =>
          resolve({
            method: method.toLowerCase(),
            path: path.split('?', 1)[0]!,
            status: res.statusCode ?? 0,
            headers: res.headers,
            body: Buffer.concat(chunks).toString(),
          });
        // A stream does not end: its head is the answer.
        if (res.headers['content-type']?.startsWith('text/event-stream')) {
          finish();
          return void res.destroy();
        }
        res.on('data', (chunk: Buffer) => chunks.push(chunk));
        res.on('error', reject);
        res.on('end', finish);
      },
    );
    req.on('timeout', () => req.destroy(new Error(`no answer within ${TIMEOUT_MS} ms`)));
    req.on('error', reject);
    req.end(body);
  });
}

export function closeConnections(): void {
  agent.destroy();
}
