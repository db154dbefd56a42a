// SPDX-License-Identifier: Apache-2.0
import { execFileSync, spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { repoDir } from '@chainwatch/testing/host';
import { findFreePort, waitFor } from '@chainwatch/testing';
import { signPayload } from '@chainwatch/webhook-signature';

const secret = 'svc_whsec_0123456789ABCDEFGHIJKLMNOPQRST';
const examples = join(repoDir, 'examples/receivers');
const libraries = join(repoDir, 'libs/webhook-signature/receivers');
const guide = readFileSync(join(repoDir, 'docs/guides/receivers.md'), 'utf8');

/** Stands in for Next's server: a route handler is a function from a Request to a Response. */
const NEXT = `
import { createServer } from 'node:http';
const { POST } = await import(process.argv[1]);
createServer(async (req, res) => {
  if (req.method !== 'POST') return res.writeHead(405).end();
  const chunks = [];
  for await (const chunk of req) chunks.push(chunk);
  const init = { method: req.method, headers: req.headers, body: Buffer.concat(chunks) };
  const response = await POST(new Request('http://localhost' + req.url, init));
  res.writeHead(response.status, Object.fromEntries(response.headers));
  res.end(await response.text());
}).listen(process.env.PORT, '127.0.0.1');
`;

interface Runtime {
  readonly file: string;
  readonly language: string;
  /** What to run, in a folder of its own; undefined where the machine lacks the runtime. */
  readonly prepare: (folder: string, port: string) => readonly [string, ...string[]] | undefined;
}

const onNode = (file: string): Runtime => ({
  ...{ file, language: 'js' },
  prepare: () => [process.execPath, '--import', 'tsx', join(examples, file)],
});
const has = (program: string, ...args: string[]): boolean => spawnSync(program, args).status === 0;
const copy = (folder: string, ...paths: string[]): void => {
  for (const path of paths) copyFileSync(path, join(folder, path.split('/').at(-1)!));
};

const RUNTIMES: Record<string, Runtime> = {
  Express: onNode('express.mjs'),
  Fastify: onNode('fastify.mjs'),
  Hono: onNode('hono.mjs'),
  'Next, its route handler': {
    ...{ file: 'next-route.ts', language: 'ts' },
    prepare: () => [
      ...([process.execPath, '--import', 'tsx', '--input-type=module'] as const),
      ...['-e', NEXT, join(examples, 'next-route.ts')],
    ],
  },
  Flask: {
    ...{ file: 'flask_receiver.py', language: 'python' },
    prepare(folder) {
      // Debian's package is for the system's Python, which may not be the first one of PATH.
      const python = ['python3', '/usr/bin/python3'].find((name) => has(name, '-c', 'import flask'));
      copy(folder, join(examples, 'flask_receiver.py'), join(libraries, 'python/chainwatch_webhook.py'));
      return python === undefined ? undefined : [python, 'flask_receiver.py'];
    },
  },
  'Go, net/http': {
    ...{ file: 'main.go', language: 'go' },
    prepare(folder) {
      if (!has('go', 'version')) return undefined;
      mkdirSync(join(folder, 'chainwatch'));
      copy(folder, join(examples, 'main.go'));
      copy(join(folder, 'chainwatch'), join(libraries, 'go/chainwatch.go'));
      writeFileSync(join(folder, 'go.mod'), 'module example.com/receiver\n\ngo 1.19\n');
      const env = { ...process.env, GOCACHE: join(folder, 'cache'), GOPROXY: 'off', GOTOOLCHAIN: 'local' };
      execFileSync('go', ['vet', './...'], { cwd: folder, env });
      execFileSync('go', ['build', '-o', 'receiver', '.'], { cwd: folder, env });
      return [join(folder, 'receiver')];
    },
  },
  PHP: {
    ...{ file: 'receiver.php', language: 'php' },
    prepare(folder, port) {
      copy(folder, join(examples, 'receiver.php'), join(libraries, 'php/ChainwatchWebhook.php'));
      return has('php', '--version') ? ['php', '-S', `127.0.0.1:${port}`, 'receiver.php'] : undefined;
    },
  },
};

let folder: string;
let child: ChildProcess | undefined;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'receivers-'));
});
afterEach(async () => {
  if (child?.exitCode === null && child.signalCode === null) {
    child.kill('SIGKILL');
    await once(child, 'exit');
  }
  child = undefined;
  rmSync(folder, { recursive: true, force: true });
});

/** The receiver, listening, and the lines that it has printed about events. */
async function start([program, ...args]: readonly [string, ...string[]], port: string) {
  let output = '';
  // Flask and the rest listen where the guide has them listen.
  const env = { ...process.env, PORT: port, CHAINWATCH_WEBHOOK_SECRET: secret, EVENTS_FOLDER: folder };
  const started = spawn(program, args, { cwd: program === process.execPath ? repoDir : folder, env });
  child = started;
  for (const stream of [started.stdout, started.stderr])
    stream.setEncoding('utf8').on('data', (chunk: string) => (output += chunk));
  const url = `http://localhost:${port}/webhooks/chainwatch`;
  const isListening = (): Promise<boolean> => fetch(url).then(Boolean, () => false);
  await waitFor(async () => started.exitCode !== null || (await isListening()), { message: () => output });
  if (started.exitCode !== null) throw new Error(`expected a receiver, got ${output}`);
  const send = async (body: string, header: string): Promise<[number, string]> => {
    const headers = { 'content-type': 'application/json', 'x-webhook-signature': header };
    const response = await fetch(url, { method: 'POST', body, headers });
    return [response.status, (await response.text()).trim()];
  };
  return {
    send,
    readLines: () => output.match(/transaction\.detected [\w-]+/g) ?? [],
    readAll: () => output,
  };
}

const bodyOf = (id: number): string =>
  `{"event_id": "6f1d1f4e-0000-5000-8000-00000000000${id}", "type": "transaction.detected", "data": {"label": "ü 1e2"}}`;
const lineOf = (id: number): string => `transaction.detected 6f1d1f4e-0000-5000-8000-00000000000${id}`;
const sign = (body: string, ageSeconds = 0, key = secret): string =>
  signPayload({ secrets: [key], timestamp: Math.floor(Date.now() / 1_000) - ageSeconds, body });

describe.each(Object.entries(RUNTIMES))('the receiver for %s', (name, { file, language, prepare }) => {
  it('is in the guide as it is here', () => {
    const text = readFileSync(join(examples, file), 'utf8');
    expect(guide).toContain(`\`\`\`${language}\n${text}\`\`\`\n`);
  });

  it('handles each event once, and refuses what is forged, changed, or old', async () => {
    const port = String(await findFreePort());
    const command = prepare(folder, port);
    if (command === undefined) {
      process.stderr.write(`skipped: the receiver for ${name}, whose runtime is not here\n`);
      return;
    }
    const { send, readLines, readAll } = await start(command, port);
    const header = sign(bodyOf(1));
    expect(await send(bodyOf(1), header)).toEqual([204, '']);
    // The same request again, and a redelivery, which is signed anew.
    expect((await send(bodyOf(1), header))[0]).toBe(204);
    expect((await send(bodyOf(1), sign(bodyOf(1), 1)))[0]).toBe(204);
    const forged = sign(bodyOf(2), 0, 'svc_whsec_another');
    expect(await send(bodyOf(2), forged)).toEqual([400, 'signature_mismatch']);
    expect(await send(bodyOf(2), header)).toEqual([400, 'signature_mismatch']);
    expect(await send(bodyOf(2), sign(bodyOf(2), 301))).toEqual([400, 'timestamp_outside_tolerance']);
    expect(await send(bodyOf(2), '')).toEqual([400, 'missing_header']);
    expect(await send(bodyOf(3), sign(bodyOf(3), 290))).toEqual([204, '']);
    await waitFor(() => readLines().length >= 2, { message: readAll });
    expect(readLines()).toEqual([lineOf(1), lineOf(3)]);
  }, 180_000);
});
