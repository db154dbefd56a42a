// SPDX-License-Identifier: Apache-2.0
/**
 * `node tools/stack/record-session.mjs`, beside `npm start`: types the commands of a newcomer, and writes what they
 * printed into the README of the command, between its marks.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { repoDir } from '../../libs/testing/src/host/repo.mjs';

const README = join(repoDir, 'apps/cli/README.md');
const MARKS = /(<!-- session -->\n)[^]*(<!-- \/session -->)/;
const HOOK_PORT = 3000;
const EVENTS = 2;
const WAIT_MS_MAX = 60_000;
const COMMAND = 'npx --no-install chainwatch';

/** @param {string} args as typed */
function start(args) {
  const child = spawn(process.execPath, ['apps/cli/chainwatch.mjs', ...args.split(' ')], {
    cwd: repoDir,
    env: { ...process.env, NO_COLOR: '1', NODE_OPTIONS: '' },
  });
  const seen = { text: '' };
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk) => (seen.text += String(chunk)));
  return { child, seen, ended: once(child, 'close') };
}

/** @param {string} args */
async function type(args) {
  const { seen, ended } = start(args);
  const [code] = await ended;
  if (code !== 0) throw new Error(`expected 0 of ${args}, got ${code}:\n${seen.text}`);
  return `$ ${COMMAND} ${args}\n${seen.text}`;
}

const hook = createServer((_req, res) => res.writeHead(204).end()).listen(HOOK_PORT, '127.0.0.1');
await once(hook, 'listening');
const listen = `listen --forward-to http://localhost:${HOOK_PORT}/hook --types transaction.detected,transaction.confirmed`;
const listening = start(listen);
try {
  const until = async (/** @type {() => boolean} */ isSo) => {
    for (const from = Date.now(); !isSo(); await delay(50))
      if (Date.now() - from > WAIT_MS_MAX)
        throw new Error(`waited for the events, got:\n${listening.seen.text}`);
  };
  await until(() => listening.seen.text.includes('CHAINWATCH_WEBHOOK_SECRET='));
  const typed = [await type('trigger transaction.confirmed')];
  await until(() => listening.seen.text.split('→').length > EVENTS);
  listening.child.kill('SIGINT');
  await listening.ended;
  typed.unshift(`$ ${COMMAND} ${listen} &\n${listening.seen.text}`);
  typed.push(await type('chains status'), await type('doctor'));
  const session = `\`\`\`text\n${typed.join('\n').trim()}\n\`\`\`\n`;
  // The secret is of this run alone; a reader should not take it for one.
  const text = session.replace(/(local_whsec_)[0-9a-f]+/g, '$1…');
  writeFileSync(
    README,
    readFileSync(README, 'utf8').replace(MARKS, (_all, open, close) => `${open}${text}${close}`),
  );
} finally {
  listening.child.kill('SIGKILL');
  hook.close();
}
