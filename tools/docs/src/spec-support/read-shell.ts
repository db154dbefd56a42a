// SPDX-License-Identifier: Apache-2.0
/** The commands of a shell script as lists of words: enough of the language for the blocks of our pages. */
export function readShell(script: string): string[][] {
  const reader = new ShellReader(script.replace(/<<'?(\w+)'?[^\n]*\n[^]*?\n\1(?=\n|$)/g, ''));
  reader.read();
  return reader.commands.map(dropPrefix).filter((words) => words.length > 0);
}

const KEYWORDS = new Set(['for', 'do', 'done', 'if', 'then', 'fi', 'while', '!', 'export', '{', '}']);

/** Assignments and keywords stand before the command itself. */
function dropPrefix(words: readonly string[]): string[] {
  const first = words.findIndex((word) => !KEYWORDS.has(word) && !/^\w+=/.test(word));
  return first < 0 ? [] : words.slice(first);
}

class ShellReader {
  readonly commands: string[][] = [];
  readonly #text: string;
  #at = 0;
  /** Plain brackets: subshells, functions, arithmetic. */
  #open = 0;
  #words: string[] = [];
  #word: string | undefined;

  constructor(text: string) {
    this.#text = text;
  }

  /** To the end of the text, or to the bracket that closes what was opened. */
  read(): void {
    for (; this.#at < this.#text.length; this.#at += 1) {
      const char = this.#text[this.#at]!;
      if (char === ')' && this.#open === 0) break;
      this.#take(char);
    }
    this.#endCommand();
  }

  #take(char: string): void {
    const next = this.#text[this.#at + 1];
    if (char === '\\') {
      this.#at += 1;
      if (next !== '\n') this.#add(next ?? '');
    } else if (char === "'") this.#add(this.#until("'"));
    else if (char === '"') this.#readDoubleQuoted();
    else if ((char === '$' || char === '<') && next === '(' && this.#text[this.#at + 2] !== '(')
      this.#readInside();
    else if (char === '#' && this.#word === undefined) this.#until('\n', true);
    else if (/[\n;|&]/.test(char) && !this.#isRedirection()) this.#endCommand();
    else if (/[ \t]/.test(char)) this.#endWord();
    else if (/[()]/.test(char)) this.#bracket(char);
    else this.#add(char);
  }

  #bracket(char: string): void {
    this.#open += char === '(' ? 1 : -1;
    this.#endCommand();
  }

  /** `2>&1`, `>&2` */
  #isRedirection(): boolean {
    return this.#text[this.#at - 1] === '>';
  }

  #until(end: string, isBefore = false): string {
    const start = this.#at + 1;
    const found = this.#text.indexOf(end, start);
    const to = found < 0 ? this.#text.length : found;
    this.#at = isBefore ? to - 1 : to;
    return this.#text.slice(start, to);
  }

  #readDoubleQuoted(): void {
    this.#add('');
    for (this.#at += 1; this.#at < this.#text.length && this.#text[this.#at] !== '"'; this.#at += 1) {
      const char = this.#text[this.#at]!;
      if (char === '\\') this.#add(this.#text[(this.#at += 1)] ?? '');
      else if (char === '$' && this.#text[this.#at + 1] === '(' && this.#text[this.#at + 2] !== '(')
        this.#readInside();
      else this.#add(char);
    }
  }

  /** `$(…)` and `<(…)`: commands of their own; the word around them stays open. */
  #readInside(): void {
    const inside = new ShellReader(this.#text);
    inside.#at = this.#at + 2;
    inside.read();
    this.commands.push(...inside.commands);
    this.#at = inside.#at;
    this.#add('$');
  }

  #add(text: string): void {
    this.#word = (this.#word ?? '') + text;
  }

  #endWord(): void {
    if (this.#word !== undefined) this.#words.push(this.#word);
    this.#word = undefined;
  }

  #endCommand(): void {
    this.#endWord();
    if (this.#words.length > 0) this.commands.push(this.#words);
    this.#words = [];
  }
}
