import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { repoDir } from '@chainwatch/host';

const COPIED = ['apps', 'libs', 'tools/asyncapi', 'package.json', 'nx.json', 'tsconfig.base.json'];

/** A copy of the sources with the same dependencies, to be added to: what an addition touches is counted. */
export class ScratchRepository {
  readonly dir = mkdtempSync(join(tmpdir(), 'chainwatch-scratch-'));
  readonly addedFiles: string[] = [];
  /** Lines added, by file. */
  readonly addedLines: Record<string, number> = {};

  constructor() {
    for (const path of COPIED)
      cpSync(join(repoDir, path), join(this.dir, path), {
        recursive: true,
        filter: (from) => basename(from) !== 'node_modules',
      });
    this.#linkModules();
  }

  addFile(path: string, text: string): void {
    const file = join(this.dir, path);
    if (existsSync(file)) throw new Error(`expected no file ${path}`);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
    this.addedFiles.push(path);
  }

  /** Behind a line that is there, or at the end. */
  addText(path: string, text: string, before?: string): void {
    const file = join(this.dir, path);
    const old = readFileSync(file, 'utf8');
    const at = before === undefined ? old.length : old.indexOf(before);
    if (at < 0) throw new Error(`expected ${before} in ${path}`);
    writeFileSync(file, `${old.slice(0, at)}${text}${old.slice(at)}`);
    this.addedLines[path] = (this.addedLines[path] ?? 0) + text.split('\n').length - 1;
  }

  remove(): void {
    rmSync(this.dir, { recursive: true, force: true });
  }

  // Packages of the workspace are the copies; everything else is the repository's own.
  #linkModules(): void {
    const modules = join(repoDir, 'node_modules');
    mkdirSync(join(this.dir, 'node_modules', '@chainwatch'), { recursive: true });
    for (const name of readdirSync(modules))
      if (name !== '@chainwatch') symlinkSync(join(modules, name), join(this.dir, 'node_modules', name));
    for (const folder of ['apps', 'libs'])
      for (const name of readdirSync(join(this.dir, folder))) {
        const manifest = join(this.dir, folder, name, 'package.json');
        if (!existsSync(manifest)) continue;
        const { name: full } = JSON.parse(readFileSync(manifest, 'utf8')) as { name: string };
        symlinkSync(join(this.dir, folder, name), join(this.dir, 'node_modules', full));
      }
  }
}
