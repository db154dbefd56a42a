// SPDX-License-Identifier: Apache-2.0
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { repoDir, runCommand } from '@chainwatch/testing/host';

interface ProjectGraph {
  readonly graph: {
    readonly nodes: Readonly<Record<string, unknown>>;
    readonly dependencies: Readonly<Record<string, readonly { readonly target: string }[]>>;
  };
}

/** What is left when projects without dependencies are taken away again and again: cycles, and what stands on them. */
function findCycles(dependencies: ReadonlyMap<string, readonly string[]>): string[] {
  let left = [...dependencies.keys()];
  for (;;) {
    const inLeft = new Set(left);
    const next = left.filter((name) => dependencies.get(name)!.some((target) => inLeft.has(target)));
    if (next.length === left.length) return left.sort();
    left = next;
  }
}

describe('findCycles', () => {
  it('names the projects of a cycle and what depends on it', () => {
    const dependencies = new Map([
      ['a', ['b']],
      ['b', ['c']],
      ['c', ['b', 'd']],
      ['d', []],
    ]);
    expect(findCycles(dependencies)).toEqual(['a', 'b', 'c']);
  });
});

it('the graph of the projects, specs included, has no cycle', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'chainwatch-graph-'));
  try {
    const file = join(dir, 'graph.json');
    const { code, output } = await runCommand(
      process.execPath,
      [join(repoDir, 'node_modules/nx/dist/bin/nx.js'), 'graph', `--file=${file}`],
      { cwd: repoDir, env: { ...process.env, NODE_OPTIONS: '', NX_DAEMON: 'false' } },
    );
    expect({ code, output: code === 0 ? '' : output }).toEqual({ code: 0, output: '' });
    const { graph } = JSON.parse(readFileSync(file, 'utf8')) as ProjectGraph;
    const names = Object.keys(graph.nodes);
    expect(names).toContain('@chainwatch/testing');
    const targetsOf = (name: string): string[] =>
      (graph.dependencies[name] ?? [])
        .map(({ target }) => target)
        .filter((target) => target in graph.nodes && target !== name);
    expect(findCycles(new Map(names.map((name) => [name, targetsOf(name)])))).toEqual([]);
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
});
