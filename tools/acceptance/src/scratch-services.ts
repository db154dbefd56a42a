// SPDX-License-Identifier: Apache-2.0
import { spawn, type ChildProcess } from 'node:child_process';
import { killWithParent, waitFor } from '@chainwatch/testing';
import { freePort } from './services.ts';

/** Services of a scratch repository, run from their sources. */
export class ScratchServices {
  readonly #dir: string;
  readonly #env: Readonly<Record<string, string>>;
  readonly #children: ChildProcess[] = [];
  /** What they wrote. */
  readonly output: string[] = [];

  constructor(dir: string, env: Readonly<Record<string, string>>) {
    this.#dir = dir;
    this.#env = { ...env, DRAIN_DELAY: '0s' };
  }

  /** Resolves when it is ready. */
  async start(app: string, env: Readonly<Record<string, string>> = {}): Promise<void> {
    const healthPort = await freePort();
    const child = spawn(process.execPath, ['--import', 'tsx', `apps/${app}/src/main.ts`], {
      cwd: this.#dir,
      env: { ...process.env, NODE_OPTIONS: '', ...this.#env, ...env, HEALTH_PORT: String(healthPort) },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    killWithParent(child.pid!, 'KILL');
    this.#children.push(child);
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk: Buffer) => this.output.push(chunk.toString()));
    await waitFor(
      async () => {
        if (child.exitCode !== null) throw new Error(`${app} ended: ${this.output.join('')}`);
        return fetch(`http://127.0.0.1:${healthPort}/readyz`).then(
          ({ status }) => status === 200,
          () => false,
        );
      },
      { timeoutMs: 90_000 },
    );
  }

  async stop(): Promise<void> {
    await Promise.all(
      this.#children.map(
        (child) =>
          new Promise<void>((resolve) => {
            if (child.exitCode !== null) return resolve();
            child.once('exit', () => resolve());
            child.kill('SIGTERM');
          }),
      ),
    );
  }
}
