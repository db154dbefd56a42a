// SPDX-License-Identifier: Apache-2.0
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const MODULE = new URL('./run-service.ts', import.meta.url).href;

async function run(
  start: string,
  signal?: NodeJS.Signals,
  options = '',
  at = 'was started',
): Promise<{ code: number | null; output: string }> {
  const script = `const { runService } = await import(${JSON.stringify(MODULE)}); await runService({ name: 'spec', start: ${start} ${options} });`;
  const child = spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', script], {
    cwd: fileURLToPath(new URL('.', import.meta.url)),
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => {
      output += chunk.toString();
      if (signal !== undefined && output.includes(at)) child.kill(signal);
    });
  }
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, output };
}

const KEEP_ALIVE = 'const timer = setInterval(() => {}, 1000);';

describe('runService', () => {
  it('stops in order when asked to', async () => {
    const { code, output } = await run(
      `async () => { ${KEEP_ALIVE} return { stop: async () => { clearInterval(timer); console.log('let go'); } }; }`,
      'SIGTERM',
    );
    expect(code).toBe(0);
    expect(output).toContain('let go');
  });

  it('serves its health until it has stopped, and says meanwhile that it stops', async () => {
    const { code, output } = await run(
      `async () => {
        const { createServer } = await import('node:net');
        const probe = createServer().listen(0);
        await new Promise((resolve) => probe.once('listening', resolve));
        const { port } = probe.address();
        await new Promise((resolve) => probe.close(resolve));
        const ask = async (at) => console.log(at, JSON.stringify((await (await fetch('http://127.0.0.1:' + port + '/readyz')).json()).checks));
        const untilServed = () => ask('serving').then(() => console.log('asked'), () => setTimeout(untilServed, 20));
        setTimeout(untilServed);
        setInterval(() => {}, 1000);
        return { health: { port, checks: () => ({ nats: { ok: true } }) }, stop: () => ask('stopping') };
      }`,
      'SIGTERM',
      '',
      'asked',
    );
    expect(code).toBe(0);
    expect(output).toContain('serving {"nats":{"ok":true}}');
    expect(output).toContain('stopping {"drain":{"ok":false,"reason":"the service stops"}}');
  });

  it('is ended when it does not stop in time', async () => {
    const { code, output } = await run(
      `async () => { ${KEEP_ALIVE} return { stop: () => new Promise(() => {}) }; }`,
      'SIGINT',
      ', stopTimeoutMs: 100',
    );
    expect(code).toBe(1);
    expect(output).toContain('did not stop within 100 ms');
  });

  it('that waits in its start ends at once, in order, when asked to', async () => {
    const startedAt = performance.now();
    const { code, output } = await run(
      `(_logger, signal) => new Promise((_, reject) => { ${KEEP_ALIVE} console.log('waiting'); signal.addEventListener('abort', () => reject(signal.reason)); })`,
      'SIGTERM',
      '',
      'waiting',
    );
    expect(code).toBe(0);
    expect(output).toContain('the service was stopped before it had started');
    expect(output).not.toContain('failed to start');
    expect(performance.now() - startedAt).toBeLessThan(10_000);
  });

  it('ends with status 1 when the start fails, naming the reason', async () => {
    const { code, output } = await run(`async () => { throw new Error('no database'); }`);
    expect(code).toBe(1);
    expect(output).toContain('no database');
  });

  it('starts with a level that there is not, so that the configuration can say so', async () => {
    const { code, output } = await run(
      `(process.env.LOG_LEVEL = 'loud', async () => { throw Object.assign(new Error('LOG_LEVEL: expected trace'), { code: 'config_invalid' }); })`,
    );
    expect(code).toBe(1);
    expect(output.split('\n')[0]).toBe('LOG_LEVEL: expected trace');
  });

  it('ends with status 1 when a rejection is not handled', async () => {
    const { code, output } = await run(
      `async () => { ${KEEP_ALIVE} setTimeout(() => Promise.reject(new Error('escaped')), 10); return { stop: async () => {} }; }`,
    );
    expect(code).toBe(1);
    expect(output).toContain('escaped');
  });
});
