// SPDX-License-Identifier: Apache-2.0
/** Changes what stands outside of fenced code. */
export function mapProse(text: string, change: (prose: string) => string): string {
  return splitFences(text)
    .map(({ isCode, text: part }) => (isCode ? part : change(part)))
    .join('');
}

export interface CodeBlock {
  readonly language: string;
  readonly code: string;
  /** Of the fence, counted from 1. */
  readonly line: number;
  /** The text of the comment `<!-- given: … -->` before it: what the page takes for granted. */
  readonly given: string;
}

export function readCodeBlocks(text: string): CodeBlock[] {
  const parts = splitFences(text);
  let line = 1;
  return parts.flatMap(({ isCode, text: part }, index) => {
    const at = line;
    line += part.split('\n').length - 1;
    if (!isCode) return [];
    const [head = '', ...rest] = part.split('\n');
    const before = index === 0 ? '' : parts[index - 1]!.text;
    return [
      {
        language: /^\s*`{3,}(\w*)/.exec(head)?.[1] ?? '',
        code: rest
          .slice(
            0,
            rest.findLastIndex((each) => /^\s*`{3,}\s*$/.test(each)),
          )
          .join('\n'),
        line: at,
        given: /-->\s*$/.test(before) ? (readGiven(before.slice(before.lastIndexOf('<!--')))[0] ?? '') : '',
      },
    ];
  });
}

/** What comments `<!-- given: … -->` declare. */
export function readGiven(text: string): string[] {
  return [...text.matchAll(/<!-- given:\s*([^]*?)-->\s*/g)].map(([, given]) => given!);
}

interface Part {
  readonly isCode: boolean;
  readonly text: string;
}

/** Fences may be indented, in lists and containers. */
function splitFences(text: string): Part[] {
  const parts: Part[] = [];
  let fence: string | undefined;
  let lines: string[] = [];
  const end = (isCode: boolean): void => {
    if (lines.length > 0) parts.push({ isCode, text: lines.join('') });
    lines = [];
  };
  for (const line of text.split(/(?<=\n)/)) {
    const mark = /^\s*(`{3,})/.exec(line)?.[1];
    if (fence === undefined && mark !== undefined) {
      end(false);
      fence = mark;
      lines.push(line);
    } else if (fence !== undefined && mark !== undefined && mark.length >= fence.length) {
      lines.push(line);
      fence = undefined;
      end(true);
    } else lines.push(line);
  }
  end(fence !== undefined);
  return parts;
}

export interface Link {
  readonly text: string;
  readonly target: string;
}

const LINK = /(?<!!)\[((?:[^\[\]]|\[[^\]]*\])*)\]\(([^)\s]+)\)/g;

/** Code in line stays as it is, also within the text of a link. */
export function mapLinks(text: string, change: (link: Link) => string): string {
  return mapProse(text, (prose) =>
    prose.replace(LINK, (_whole, shown: string, target: string) => change({ text: shown, target })),
  );
}

export function listLinks(text: string): Link[] {
  const links: Link[] = [];
  mapLinks(text, (link) => {
    links.push(link);
    return '';
  });
  return links;
}

const IMAGE = /!\[([^\]]*)\]\(([^)\s]+)\)/g;

/** The same of pictures; their text is for who does not see them. */
export function mapImages(text: string, change: (image: Link) => string): string {
  return mapProse(text, (prose) =>
    prose.replace(IMAGE, (_whole, shown: string, target: string) => change({ text: shown, target })),
  );
}

export function listImages(text: string): Link[] {
  const images: Link[] = [];
  mapImages(text, (image) => {
    images.push(image);
    return '';
  });
  return images;
}

/** The anchors of a page: as code hosts make them of headings, unless a heading names its own, `## Title {#name}`. */
export function listAnchors(text: string): string[] {
  const anchors: string[] = [];
  mapProse(text, (prose) => {
    for (const [, title, own] of prose.matchAll(/^#{1,6} +(.+?)(?: *\{#([\w.-]+)\})?$/gm))
      anchors.push(own ?? numberSlug(anchors, slugOf(title!)));
    return prose;
  });
  return anchors;
}

export function slugOf(title: string): string {
  return title
    .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replace(/\s/g, '-');
}

function numberSlug(taken: readonly string[], slug: string): string {
  if (!taken.includes(slug)) return slug;
  const free = taken.findIndex((_, index) => !taken.includes(`${slug}-${index + 1}`));
  return `${slug}-${free + 1}`;
}

export function titleOf(text: string): string {
  return /^# +(.+?)(?: *\{#[\w.-]+\})?$/m.exec(text)?.[1]?.replace(/[`*]/g, '') ?? '';
}

export function fence(language: string, code: string): string {
  const longest = Math.max(2, ...[...code.matchAll(/`{3,}/g)].map(([mark]) => mark.length));
  const mark = '`'.repeat(longest + 1);
  return `${mark}${language}\n${code.trimEnd()}\n${mark}`;
}

/** Text within a table, on one line. */
function cell(text: string): string {
  return text.replace(/\s*\n\s*/g, ' ').replaceAll('|', '\\|');
}

export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.map(cell).join(' | ')} |`;
  return [line(head), `|${'---|'.repeat(head.length)}`, ...rows.map(line)].join('\n');
}
