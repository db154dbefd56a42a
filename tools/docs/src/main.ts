/** `npm run docs` serves the documentation while you write it; `npm run docs -- build <folder>` builds it. */
import { resolve } from 'node:path';
import { generatePrismaClient } from '../../stack/generate-prisma-client.mjs';

const [command = 'serve', folder = 'dist/docs'] = process.argv.slice(2);
// The API is described by its routes, which import it.
await generatePrismaClient();
if (command === 'build') {
  const { buildSite } = await import('./build-site.ts');
  await buildSite(resolve(folder));
} else {
  const { serveSite } = await import('./serve-site.ts');
  await serveSite();
}
