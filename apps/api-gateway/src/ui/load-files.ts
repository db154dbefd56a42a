// SPDX-License-Identifier: Apache-2.0
import { readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { gzipSync } from 'node:zlib';

export interface StaticFile {
  readonly type: string;
  readonly bytes: Buffer;
  /** Compressed when it is first asked for; undefined where it would not be smaller. */
  gzipped(): Buffer | undefined;
}

const TYPES = new Map([
  ['.html', 'text/html; charset=utf-8'],
  ['.js', 'text/javascript; charset=utf-8'],
  ['.css', 'text/css; charset=utf-8'],
  ['.svg', 'image/svg+xml'],
  ['.woff2', 'font/woff2'],
]);

/**
 * Every file of a folder by its path in it, in memory: they are few, and no request reaches the disk. Empty if there is
 * no such folder.
 * @throws TypeError for a kind of file that has no media type here
 */
export function loadFiles(folder: string): ReadonlyMap<string, StaticFile> {
  const files = new Map<string, StaticFile>();
  for (const entry of listFolder(folder)) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    const type = TYPES.get(extname(path));
    if (type === undefined)
      throw new TypeError(`expected one of ${[...TYPES.keys()].join(' ')}, got ${path}`);
    files.set(path.slice(folder.length + 1), toStaticFile(type, readFileSync(path)));
  }
  return files;
}

export function toStaticFile(type: string, bytes: Buffer): StaticFile {
  let zipped: Buffer | undefined;
  return {
    type,
    bytes,
    gzipped() {
      zipped ??= gzipSync(bytes, { level: 9 });
      return zipped.length < bytes.length ? zipped : undefined;
    },
  };
}

function listFolder(folder: string) {
  try {
    return readdirSync(folder, { recursive: true, withFileTypes: true });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}
