// SPDX-License-Identifier: Apache-2.0
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { repoDir } from '../../libs/testing/src/host/repo.mjs';
import { runCommand } from '../../libs/testing/src/host/run-command.mjs';
import { SetupError } from '../../libs/testing/src/host/setup-error.mjs';

const schemaFile = join(repoDir, 'prisma', 'schema.prisma');
const generatedDir = join(repoDir, 'libs', 'data', 'src', 'db', 'generated');

/** Generates the Prisma client when prisma/schema.prisma or Prisma's version changed. @throws {SetupError} */
export async function generatePrismaClient() {
  if (!existsSync(schemaFile)) return;
  const prismaDir = join(repoDir, 'node_modules', 'prisma');
  const hash = createHash('sha256')
    .update(readFileSync(schemaFile))
    .update(readFileSync(join(prismaDir, 'package.json')))
    .digest('hex');
  const stampFile = join(generatedDir, '.stamp');
  if (existsSync(stampFile) && readFileSync(stampFile, 'utf8') === hash) return;
  process.stdout.write('Generating the Prisma client\n');
  const { code, output } = await runCommand(
    process.execPath,
    [join(prismaDir, 'build', 'index.js'), 'generate', '--schema', schemaFile],
    {
      cwd: repoDir,
      // Prisma would download an engine that generate never runs: any executable stands in for it.
      env: {
        ...process.env,
        PRISMA_SCHEMA_ENGINE_BINARY: process.execPath,
        PRISMA_HIDE_UPDATE_MESSAGE: '1',
        CHECKPOINT_DISABLE: '1',
      },
    },
  );
  if (code !== 0)
    throw new SetupError(
      'prisma generate failed: see the lines above and correct prisma/schema.prisma.',
      output,
    );
  mkdirSync(dirname(stampFile), { recursive: true });
  writeFileSync(stampFile, hash);
}
