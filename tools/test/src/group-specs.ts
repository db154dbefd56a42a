import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { repoDir } from '@chainwatch/host';

/** They start servers and wait, or set up their process for themselves: they run beside each other. */
const ALONE =
  /^(apps\/(balance-service|block-ingestor-\w+|notifier)\/|apps\/rpc-proxy\/src\/plain\/|libs\/(bus|outbox|testing|testing-stack)\/|tools\/(acceptance|devnet)\/|tools\/stack\/stack\.spec)/;
/** At the top level of a spec they would hold for every spec of the group; what a spec imports may call them there. */
const FILE_HOOK = /^(before|after)(All|Each)\(/m;
const HOOK = /\b(before|after)(All|Each)\(/;
const OWN_IMPORT = /from '(\.[^']+)'/g;
/** Specs in one file; more are dealt out to several, so that workers share them. */
const GROUP_SIZE = 60;

/**
 * The specs of one task as absolute paths of files to run. Jest loads modules anew for each file, which takes a small spec
 * longer than its tests: small specs are imported by one file in `dir`. A spec with hooks at its top level stays alone.
 */
export function groupSpecs(dir: string, name: string, specs: readonly string[]): string[] {
  const isAlone = (spec: string): boolean => ALONE.test(spec) || hasFileHooks(join(repoDir, spec));
  const grouped = specs.filter((spec) => !isAlone(spec));
  const count = Math.ceil(grouped.length / GROUP_SIZE);
  const files = Array.from({ length: count }, (_, part) => {
    const file = join(dir, `${name}-${part + 1}.spec.ts`);
    const own = grouped.filter((_spec, index) => index % count === part);
    writeFileSync(file, own.map((spec) => `import '${join(repoDir, spec)}';\n`).join(''));
    return file;
  });
  return [...files, ...specs.filter(isAlone).map((spec) => join(repoDir, spec))];
}

function hasFileHooks(path: string): boolean {
  const text = readFileSync(path, 'utf8');
  if (FILE_HOOK.test(text)) return true;
  const imported = [...text.matchAll(OWN_IMPORT)].map(([, name = '']) => join(dirname(path), name));
  return imported.some((file) => existsSync(file) && HOOK.test(readFileSync(file, 'utf8')));
}
