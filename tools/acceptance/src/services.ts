// SPDX-License-Identifier: Apache-2.0
import { spawn, type ChildProcess } from 'node:child_process';
import { findFreePort, killWithParent } from '@chainwatch/testing';
import { bundleServices } from '../../stack/bundle.mjs';

export type ServiceName =
  | 'api-gateway'
  | 'rpc-proxy'
  | `block-ingestor-${string}`
  | 'tx-analyzer'
  | 'balance-service'
  | 'notifier'
  // A further process of the same service.
  | `${'api-gateway' | 'rpc-proxy' | 'tx-analyzer' | 'balance-service' | 'notifier'}-${number}`;

/** Services as the operating system runs them: one process each, killed without warning and started again at will. */
export class Services {
  readonly #env: Readonly<Record<string, string>>;
  readonly #children = new Map<ServiceName, ChildProcess>();
  /** What a process was started with beside the others, and is started with again. */
  readonly #extras = new Map<ServiceName, Readonly<Record<string, string>>>();
  readonly #healthPorts = new Map<ServiceName, number>();
  readonly output: string[] = [];
  #dist: string;

  /** @param dist bundles of another release; default those of the sources here */
  constructor(env: Readonly<Record<string, string>>, dist = '') {
    this.#env = env;
    this.#dist = dist;
  }

  /** Processes that are started from now on are of the sources here. */
  upgrade(): void {
    this.#dist = '';
  }

  async start(names: readonly ServiceName[], extra: Readonly<Record<string, string>> = {}): Promise<void> {
    this.#dist ||= await bundleServices();
    for (const name of names) this.#extras.set(name, extra);
    await Promise.all(names.map((name) => this.#spawn(name)));
    await Promise.all(names.map((name) => this.waitReady(name)));
  }

  /** SIGKILL, as the kernel does it. Resolves when the process is gone. */
  async kill(name: ServiceName): Promise<void> {
    const child = this.#children.get(name);
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const gone = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGKILL');
    await gone;
  }

  /** SIGSTOP and SIGCONT: its connections stay open, and it does nothing. SIGTERM is what an orchestrator sends. */
  signal(name: ServiceName, signal: 'SIGSTOP' | 'SIGCONT' | 'SIGTERM'): void {
    this.#children.get(name)?.kill(signal);
  }

  /** Resolves with the exit code. */
  waitExit(name: ServiceName): Promise<number | null> {
    const child = this.#children.get(name)!;
    return child.exitCode === null
      ? new Promise((resolve) => child.once('exit', resolve))
      : Promise.resolve(child.exitCode);
  }

  async readiness(
    name: ServiceName,
  ): Promise<{ status: number; checks: Record<string, { ok: boolean; status?: string; reason?: string }> }> {
    const response = await fetch(`http://127.0.0.1:${this.#healthPorts.get(name)}/readyz`, {
      signal: AbortSignal.timeout(5_000),
    });
    return {
      status: response.status,
      checks: ((await response.json()) as { checks: Record<string, { ok: boolean }> }).checks,
    };
  }

  async restart(name: ServiceName): Promise<void> {
    await this.kill(name);
    await this.#spawn(name);
  }

  /** Graceful, all at once. */
  async stop(): Promise<void> {
    await Promise.all(
      [...this.#children.values()].map(async (child) => {
        if (child.exitCode !== null || child.signalCode !== null) return;
        const gone = new Promise((resolve) => child.once('exit', resolve));
        child.kill('SIGTERM');
        const timer = setTimeout(() => child.kill('SIGKILL'), 20_000);
        await gone;
        clearTimeout(timer);
      }),
    );
  }

  pid(name: ServiceName): number | undefined {
    return this.#children.get(name)?.pid;
  }

  /** Where its metrics are, too. */
  healthPort(name: ServiceName): number {
    return this.#healthPorts.get(name)!;
  }

  async metrics(name: ServiceName): Promise<string> {
    return (await fetch(`http://127.0.0.1:${this.#healthPorts.get(name)}/metrics`)).text();
  }

  async waitReady(name: ServiceName, timeoutMs = 240_000): Promise<void> {
    const deadline = Date.now() + timeoutMs;
    for (;;) {
      const answer = await fetch(`http://127.0.0.1:${this.#healthPorts.get(name)}/readyz`).then(
        (res) => res.status,
        () => 0,
      );
      if (answer === 200) return;
      // Not one that a test killed: that is started again.
      const exitCode = this.#children.get(name)?.exitCode ?? null;
      if (exitCode !== null || Date.now() > deadline) {
        const found = exitCode === null ? answer : `exit code ${exitCode}`;
        throw new Error(`expected ${name} to be ready, got ${found}:\n${this.output.slice(-40).join('\n')}`);
      }
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }

  async #spawn(name: ServiceName): Promise<void> {
    const healthPort = this.#healthPorts.get(name) ?? (await findFreePort());
    this.#healthPorts.set(name, healthPort);
    const env = {
      ...process.env,
      DRAIN_DELAY: '0s',
      // Not those of whoever runs this.
      NODE_OPTIONS: '',
      ...this.#env,
      ...this.#extras.get(name),
      HEALTH_PORT: String(healthPort),
    };
    const child = spawn(process.execPath, [`${this.#dist}/${name.replace(/-\d+$/, '')}.mjs`], {
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    if (child.pid !== undefined) child.once('exit', killWithParent(child.pid, 'KILL'));
    const keep = (chunk: Buffer): void => {
      for (const line of chunk.toString().split('\n')) if (line !== '') this.output.push(`${name}: ${line}`);
      if (this.output.length > 2_000) this.output.splice(0, 1_000);
    };
    child.stdout.on('data', keep);
    child.stderr.on('data', keep);
    this.#children.set(name, child);
  }
}

export { findFreePort as freePort };
