// SPDX-License-Identifier: Apache-2.0
import type { Command } from 'commander';

/** What may follow the words of a command. */
interface Page {
  /** Without the program: `['events', 'tail']`. */
  readonly words: readonly string[];
  readonly commands: readonly { readonly name: string; readonly description: string }[];
  /** With their dashes. */
  readonly options: readonly string[];
}

/** Every command of the program, the longest first. */
export function listPages(program: Command): readonly Page[] {
  const visit = (command: Command, words: readonly string[]): Page[] => [
    ...command.commands.flatMap((child) => visit(child, [...words, child.name()])),
    {
      words,
      commands: command.commands.map((child) => ({ name: child.name(), description: child.description() })),
      options: [...command.options, ...(command === program ? [] : program.options)].flatMap(
        ({ long }) => long ?? [],
      ),
    },
  ];
  return visit(program, []);
}

/** For bash, and zsh with bashcompinit. Where nothing fits, files are offered. */
export function completeBash(pages: readonly Page[]): string {
  const cases = pages.map(({ words, commands, options }) => {
    const candidates = [...commands.map(({ name }) => name), ...options, '--help'].join(' ');
    return `    "${words.map((word) => ` ${word}`).join('')}"*) candidates="${candidates}" ;;`;
  });
  return `_chainwatch() {
  local word words="" candidates
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "$word" in -*) ;; *) words="$words $word" ;; esac
  done
  case "$words" in
${cases.join('\n')}
  esac
  COMPREPLY=($(compgen -W "$candidates" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _chainwatch chainwatch`;
}

export function completeFish(pages: readonly Page[]): string {
  return pages
    .flatMap(({ words, commands, options }) => {
      const names = commands.map(({ name }) => name).join(' ');
      const seen = words.map((word) => `__fish_seen_subcommand_from ${word}`);
      const isHere = [...seen, ...(names === '' ? [] : [`not __fish_seen_subcommand_from ${names}`])].join(
        '; and ',
      );
      const at = `complete -c chainwatch${isHere === '' ? '' : ` -n '${isHere}'`}`;
      return [
        ...commands.map(
          ({ name, description }) => `${at} -f -a ${name} -d '${description.replace(/'/g, "\\'")}'`,
        ),
        ...options.map((option) => `${at} -l ${option.replace(/^--/, '')}`),
      ];
    })
    .join('\n');
}
