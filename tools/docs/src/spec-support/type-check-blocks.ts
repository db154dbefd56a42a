// SPDX-License-Identifier: Apache-2.0
import { join } from 'node:path';
import ts from 'typescript';
import { repoDir } from '@chainwatch/testing/host';

export interface Block {
  /** Where it stands, for the message. */
  readonly place: string;
  readonly code: string;
  /** Declarations that the block takes for granted. */
  readonly given: string;
}

/** What the parser has against the blocks: `place: message`. */
export function parseBlocks(blocks: readonly Pick<Block, 'place' | 'code'>[]): string[] {
  return blocks.flatMap(({ place, code }) =>
    (ts.transpileModule(code, { reportDiagnostics: true }).diagnostics ?? []).map(
      ({ messageText }) => `${place}: ${ts.flattenDiagnosticMessageText(messageText, ' ')}`,
    ),
  );
}

/** What the compiler has against the blocks, each a module of its own beside the specs: `place: message`. */
export function typeCheckBlocks(blocks: readonly Block[]): string[] {
  const folder = join(repoDir, 'tools/docs/src');
  const modules = new Map(
    blocks.map((block, index) => [
      join(folder, `block-${index}.ts`),
      { ...block, text: `${block.given}\n${block.code}\nexport {};\n` },
    ]),
  );
  const { config } = ts.readConfigFile(join(repoDir, 'tsconfig.base.json'), ts.sys.readFile) as {
    config: { compilerOptions: object };
  };
  const { options } = ts.convertCompilerOptionsFromJson(config.compilerOptions, repoDir);
  const host = ts.createCompilerHost(options);
  const { fileExists, readFile, getSourceFile } = host;
  host.fileExists = (path) => modules.has(path) || fileExists(path);
  host.readFile = (path) => modules.get(path)?.text ?? readFile(path);
  host.getSourceFile = (path, target, ...rest) => {
    const text = modules.get(path)?.text;
    return text === undefined
      ? getSourceFile(path, target, ...rest)
      : ts.createSourceFile(path, text, target);
  };
  host.getCurrentDirectory = () => repoDir;
  const program = ts.createProgram([...modules.keys()], options, host);
  return [...modules].flatMap(([path, { place }]) => {
    const file = program.getSourceFile(path)!;
    return [...program.getSyntacticDiagnostics(file), ...program.getSemanticDiagnostics(file)].map(
      ({ messageText }) => `${place}: ${ts.flattenDiagnosticMessageText(messageText, ' ')}`,
    );
  });
}
