// SPDX-License-Identifier: Apache-2.0
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';

/** Sets Ponder up in a folder of its own, outside the project's packages: its dependencies are its own business. */
export function setUpPonder(directory: string, watched: readonly string[], token: string): void {
  mkdirSync(`${directory}/src/api`, { recursive: true });
  const files = { ...projectFiles(), ...indexerFiles(watched, token) };
  for (const [name, text] of Object.entries(files)) writeFileSync(`${directory}/${name}`, text);
  if (!existsSync(`${directory}/node_modules/ponder`)) {
    console.log('installing ponder 0.16.10 …');
    execFileSync('npm', ['install', '--no-audit', '--no-fund', '--ignore-scripts'], {
      cwd: directory,
      stdio: ['ignore', 'ignore', 'inherit'],
    });
  }
}

function projectFiles(): Record<string, string> {
  return {
    'package.json': JSON.stringify({
      name: 'ponder-peer',
      private: true,
      type: 'module',
      dependencies: { ponder: '0.16.10', viem: '2.56.0', hono: '4.6.14' },
    }),
    'tsconfig.json': JSON.stringify({
      compilerOptions: {
        strict: true,
        module: 'ES2022',
        target: 'ES2022',
        moduleResolution: 'bundler',
        skipLibCheck: true,
        noEmit: true,
      },
      include: ['./**/*.ts'],
    }),
    'ponder-env.d.ts': '/// <reference types="ponder/virtual" />\n',
    'src/api/index.ts': `import { Hono } from 'hono';\nexport default new Hono();\n`,
  };
}

/** Transfers of the token to the watched addresses, and transactions to them. */
function indexerFiles(watched: readonly string[], token: string): Record<string, string> {
  return {
    'ponder.config.ts': `import { createConfig } from 'ponder';
import { parseAbi } from 'viem';
const watched = ${JSON.stringify(watched)} as \`0x\${string}\`[];
export default createConfig({
  chains: { local: { id: 31337, rpc: process.env.PEER_RPC_URL, disableCache: true } },
  contracts: {
    Token: {
      chain: 'local', startBlock: 1, address: '${token}',
      abi: parseAbi(['event Transfer(address indexed from, address indexed to, uint256 value)']),
      filter: { event: 'Transfer', args: { to: watched } },
    },
  },
  accounts: { Watched: { chain: 'local', startBlock: 1, address: watched } },
});
`,
    'ponder.schema.ts': `import { onchainTable } from 'ponder';
export const transfer = onchainTable('transfer', (t) => ({
  id: t.text().primaryKey(), hash: t.hex().notNull(), from: t.hex().notNull(), to: t.hex().notNull(), amount: t.bigint().notNull(), block: t.bigint().notNull(),
}));
`,
    'src/index.ts': `import { ponder } from 'ponder:registry';
import { transfer } from 'ponder:schema';
ponder.on('Token:Transfer', async ({ event, context }) => {
  await context.db.insert(transfer).values({ id: event.id, hash: event.transaction.hash, from: event.args.from, to: event.args.to, amount: event.args.value, block: event.block.number });
});
ponder.on('Watched:transaction:to', async ({ event, context }) => {
  await context.db.insert(transfer).values({ id: event.id, hash: event.transaction.hash, from: event.transaction.from, to: event.transaction.to!, amount: event.transaction.value, block: event.block.number });
});
`,
  };
}
