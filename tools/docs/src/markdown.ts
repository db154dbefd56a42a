// SPDX-License-Identifier: Apache-2.0
import GithubSlugger, { slug } from 'github-slugger';
import type { Code, Image, Link as LinkNode, Node } from 'mdast';
import { fromMarkdown } from 'mdast-util-from-markdown';
import { toString } from 'mdast-util-to-string';
import { visit } from 'unist-util-visit';

/** Changes what stands outside of fenced code. */
export function mapProse(text: string, change: (prose: string) => string): string {
  const pieces: string[] = [];
  let at = 0;
  for (const { start, end } of listFences(text)) {
    // With its indentation in a list, which would be code without the list around it.
    const from = text.lastIndexOf('\n', start) + 1;
    pieces.push(change(text.slice(at, from)), text.slice(from, end));
    at = end;
  }
  return [...pieces, change(text.slice(at))].join('');
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
  return listFences(text).map(({ node, start }) => {
    const [comment = ''] = /<!--(?:(?!<!--)[^])*?-->\s*$/.exec(text.slice(0, start)) ?? [];
    return {
      language: /^\w*/.exec(node.lang ?? '')![0],
      code: node.value,
      line: node.position!.start.line,
      given: readGiven(comment)[0] ?? '',
    };
  });
}

/** What comments `<!-- given: … -->` declare. */
export function readGiven(text: string): string[] {
  return [...text.matchAll(/<!-- given:\s*([^]*?)-->\s*/g)].map(([, given]) => given!);
}

interface Piece<T extends Node> {
  readonly node: T;
  readonly start: number;
  readonly end: number;
}

const pieceOf = <T extends Node>(node: T): Piece<T> => ({
  node,
  start: node.position!.start.offset!,
  end: node.position!.end.offset!,
});

function listFences(text: string): Piece<Code>[] {
  const found: Piece<Code>[] = [];
  visit(fromMarkdown(text), 'code', (node) => void found.push(pieceOf(node)));
  return found.filter(({ start }) => text.startsWith('```', start));
}

export interface Link {
  readonly text: string;
  readonly target: string;
}

/** Without those whose text is their address. */
export function mapLinks(text: string, change: (link: Link) => string): string {
  const found: Piece<LinkNode>[] = [];
  visit(fromMarkdown(text), 'link', (node) => void found.push(pieceOf(node)));
  return replaceAll(
    text,
    found.filter(({ start }) => text[start] === '['),
    ({ children, url }) =>
      change({
        text: text.slice(
          children[0]?.position!.start.offset ?? 0,
          children.at(-1)?.position!.end.offset ?? 0,
        ),
        target: url,
      }),
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

/** The same of pictures; their text is for who does not see them. */
export function mapImages(text: string, change: (image: Link) => string): string {
  const found: Piece<Image>[] = [];
  visit(fromMarkdown(text), 'image', (node) => void found.push(pieceOf(node)));
  return replaceAll(text, found, ({ alt, url }) => change({ text: alt ?? '', target: url }));
}

function replaceAll<T extends Node>(
  text: string,
  pieces: readonly Piece<T>[],
  change: (node: T) => string,
): string {
  let at = 0;
  const parts = pieces.flatMap(({ node, start, end }) => {
    const before = text.slice(at, start);
    at = end;
    return [before, change(node)];
  });
  return [...parts, text.slice(at)].join('');
}

export function listImages(text: string): Link[] {
  const images: Link[] = [];
  mapImages(text, (image) => {
    images.push(image);
    return '';
  });
  return images;
}

const OWN_ANCHOR = / *\{#([\w.-]+)\}$/;

/** The anchors of a page: as code hosts make them of headings, unless a heading names its own, `## Title {#name}`. */
export function listAnchors(text: string): string[] {
  const slugger = new GithubSlugger();
  const anchors: string[] = [];
  visit(fromMarkdown(text), 'heading', (node) => {
    const title = toString(node);
    anchors.push(OWN_ANCHOR.exec(title)?.[1] ?? slugger.slug(title));
  });
  return anchors;
}

/** Of the text of a heading. */
export const slugOf = (title: string): string => slug(title.trim());

export function titleOf(text: string): string {
  let title = '';
  visit(fromMarkdown(text), 'heading', (node) => {
    if (node.depth === 1 && title === '') title = toString(node).replace(OWN_ANCHOR, '');
  });
  return title;
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
