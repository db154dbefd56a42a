// SPDX-License-Identifier: Apache-2.0
import { Agent, request } from 'node:http';

export interface KeepAliveCall {
  readonly url: string;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

/**
 * One client with one connection at a time, which it keeps as long as the server does. It repeats nothing: whatever is no
 * answer with status 200 is a fault.
 */
export class KeepAliveClient {
  readonly faults: string[] = [];
  answers = 0;
  connections = 0;
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 1 });
  readonly #nextCall: () => KeepAliveCall;
  readonly #pauseMs: number;
  readonly #running: Promise<void>;
  #isStopped = false;

  constructor(nextCall: () => KeepAliveCall, pauseMs: number) {
    this.#nextCall = nextCall;
    this.#pauseMs = pauseMs;
    this.#running = this.#run();
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#running;
    this.#agent.destroy();
  }

  async #run(): Promise<void> {
    while (!this.#isStopped) {
      const call = this.#nextCall();
      await this.#send(call).catch((error: unknown) =>
        this.faults.push(`${call.method} ${call.url}: ${String(error)}`),
      );
      await new Promise((resolve) => setTimeout(resolve, this.#pauseMs));
    }
  }

  #send({ url, method, headers, body }: KeepAliveCall): Promise<void> {
    return new Promise((resolve, reject) => {
      const sent = request(url, { method, headers, agent: this.#agent }, (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.once('error', reject);
        response.once('end', () => {
          const text = Buffer.concat(chunks).toString();
          if (response.statusCode !== 200 || text.includes('"error"'))
            return reject(new Error(`${response.statusCode} ${text.slice(0, 300)}`));
          this.answers += 1;
          resolve();
        });
      });
      sent.once('socket', () => (this.connections += sent.reusedSocket ? 0 : 1));
      sent.once('error', reject);
      sent.end(body);
    });
  }
}
