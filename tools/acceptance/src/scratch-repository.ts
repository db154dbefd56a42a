// SPDX-License-Identifier: Apache-2.0
import { execFile } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { repoDir } from '@chainwatch/testing/host';

const run = promisify(execFile);
const PACKAGE_FOLDERS = ['apps', 'libs', 'tools'];
const FOLDERS = [...PACKAGE_FOLDERS, 'deploy', 'prisma'];
const NOT_COPIED = ['node_modules', 'dist', '.git', '.env'];

/** A copy of the sources with the same dependencies, to be added to: what an addition touches is counted. */
export class ScratchRepository {
  readonly dir = mkdtempSync(join(realpathSync(tmpdir()), 'chainwatch-scratch-'));
  readonly addedFiles: string[] = [];
  /** Lines added, by file. */
  readonly addedLines: Record<string, number> = {};

  constructor() {
    const files = readdirSync(repoDir).filter((name) => statSync(join(repoDir, name)).isFile());
    for (const path of [...FOLDERS, ...files])
      cpSync(join(repoDir, path), join(this.dir, path), {
        recursive: true,
        filter: (from) => !NOT_COPIED.includes(basename(from)),
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

  /** A package that was added is found by its name from now on. */
  linkPackage(path: string): void {
    const { name } = JSON.parse(readFileSync(join(this.dir, path, 'package.json'), 'utf8')) as {
      name: string;
    };
    symlinkSync(join(this.dir, path), join(this.dir, 'node_modules', name));
  }

  /** Files of the repository that are other ones here, whoever wrote them. */
  listChangedFiles(): string[] {
    return readdirSync(repoDir)
      .filter((name) => existsSync(join(this.dir, name)) && !NOT_COPIED.includes(name))
      .flatMap((name) => this.#listChanged(name))
      .sort();
  }

  /** How many tests passed. @throws with what they wrote where one failed */
  async runJest(args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<number> {
    const options = ['node_modules/jest/bin/jest.js', '--json', '--outputFile=jest.json'];
    await run(process.execPath, [...options, ...args], {
      cwd: this.dir,
      env: { ...process.env, NODE_OPTIONS: '', ...env },
      maxBuffer: 64 * 1_024 * 1_024,
    }).catch(({ stdout, stderr }: { stdout: string; stderr: string }) => {
      throw new Error(`expected every test to pass:\n${stderr}${stdout}`);
    });
    const { numPassedTests } = JSON.parse(readFileSync(join(this.dir, 'jest.json'), 'utf8')) as {
      numPassedTests: number;
    };
    return numPassedTests;
  }

  /** As the recipes say: what the SDK knows of routes, records, events and kinds. */
  async writeSdk(): Promise<void> {
    await run(process.execPath, ['--import', 'tsx', 'tools/sdk/src/main.ts'], {
      cwd: this.dir,
      env: { ...process.env, NODE_OPTIONS: '' },
    });
  }

  /** Types of a package and of what it refers to. @throws with the errors that TypeScript found */
  async checkTypes(path: string): Promise<void> {
    const options = ['node_modules/typescript/bin/tsc', '-b', path];
    await run(process.execPath, options, { cwd: this.dir }).catch(({ stdout }: { stdout: string }) => {
      throw new Error(`expected no error of types:\n${stdout}`);
    });
  }

  remove(): void {
    rmSync(this.dir, { recursive: true, force: true });
  }

  #listChanged(path: string): string[] {
    const file = join(repoDir, path);
    if (statSync(file).isDirectory())
      return readdirSync(file)
        .filter((name) => !NOT_COPIED.includes(name))
        .flatMap((name) => this.#listChanged(join(path, name)));
    const copy = join(this.dir, path);
    return existsSync(copy) && readFileSync(file).equals(readFileSync(copy)) ? [] : [path];
  }

  // Packages of the workspace are the copies; everything else is the repository's own.
  #linkModules(): void {
    const modules = join(repoDir, 'node_modules');
    mkdirSync(join(this.dir, 'node_modules', '@chainwatch'), { recursive: true });
    for (const name of readdirSync(modules))
      if (name !== '@chainwatch') symlinkSync(join(modules, name), join(this.dir, 'node_modules', name));
    for (const folder of PACKAGE_FOLDERS)
      for (const name of readdirSync(join(this.dir, folder)))
        if (existsSync(join(this.dir, folder, name, 'package.json'))) this.linkPackage(`${folder}/${name}`);
  }
}
