import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { repoDir } from '@chainwatch/host';

interface Group {
  readonly name: string;
  readonly pattern: RegExp;
  /** Files it is dealt out to, so that workers share them. */
  readonly parts: number;
}

const GROUPS: readonly Group[] = [
  { name: 'api-gateway', pattern: /^apps\/api-gateway\//, parts: 3 },
  { name: 'chain-bitcoin', pattern: /^libs\/chain-bitcoin\//, parts: 1 },
  // Those of plain/ set their process to the other HTTP: each runs in a file of its own.
  { name: 'rpc-proxy', pattern: /^apps\/rpc-proxy\/(?!src\/plain\/)/, parts: 1 },
  { name: 'tx-analyzer', pattern: /^apps\/tx-analyzer\//, parts: 1 },
  { name: 'ingestor', pattern: /^libs\/ingestor\//, parts: 1 },
  { name: 'chain-evm', pattern: /^libs\/chain-evm\//, parts: 1 },
  { name: 'chain-solana', pattern: /^libs\/chain-solana\//, parts: 1 },
  { name: 'chain-tron', pattern: /^libs\/chain-tron\//, parts: 1 },
  { name: 'tools', pattern: /^tools\/(?!acceptance|devnet|stack\/stack\.spec)/, parts: 1 },
  // Those left out start servers and wait: they run beside each other.
  { name: 'libs', pattern: /^libs\/(?!bus|ingestor|outbox|testing)/, parts: 2 },
];
/** They would hold for every spec of the group. */
const FILE_HOOK = /^(before|after)(All|Each)\(/m;

/**
 * Everything that a whole run of Jest runs, as absolute paths. Jest loads modules anew for each file, which takes a small
 * spec longer than its tests: small specs of one package are imported by one file in `dir`. A spec with hooks at its top
 * level stays alone.
 */
export function groupSpecs(dir: string): string[] {
  const parts = new Map<string, string[]>();
  const alone: string[] = [];
  for (const spec of findSpecs()) {
    const group = readFileSync(join(repoDir, spec), 'utf8').match(FILE_HOOK)
      ? undefined
      : GROUPS.find(({ pattern }) => pattern.test(spec));
    if (group === undefined) alone.push(join(repoDir, spec));
    else deal(parts, group, spec);
  }
  const files = [...parts].map(([name, specs]) => {
    const file = join(dir, `${name}.spec.ts`);
    writeFileSync(file, specs.map((spec) => `import '${join(repoDir, spec)}';\n`).join(''));
    return file;
  });
  return [...files, ...alone];
}

/** To the part that has the fewest. */
function deal(parts: Map<string, string[]>, { name, parts: count }: Group, spec: string): void {
  const names = Array.from({ length: count }, (_, index) => `${name}-${index + 1}`);
  for (const part of names) if (!parts.has(part)) parts.set(part, []);
  const specs = names.map((part) => parts.get(part)!).sort((one, other) => one.length - other.length)[0]!;
  specs.push(spec);
}

function findSpecs(): string[] {
  return ['apps', 'libs', 'tools'].flatMap((root) =>
    readdirSync(join(repoDir, root), { recursive: true, encoding: 'utf8' })
      .filter(
        (path) =>
          path.endsWith('.spec.ts') &&
          !path.endsWith('.soak.spec.ts') &&
          !/(^|\/)(node_modules|dist)\//.test(path),
      )
      .map((path) => `${root}/${path}`)
      .sort(),
  );
}
