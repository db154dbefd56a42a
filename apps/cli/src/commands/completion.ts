// SPDX-License-Identifier: Apache-2.0
import { Argument, type Command } from 'commander';
import type { Act, Context } from '../context.ts';
import { showExamples } from '../show-examples.ts';
import { completeBash, completeFish, listPages } from '../shell-completion.ts';

const SHELLS = ['bash', 'zsh', 'fish'] as const;

export function addCompletion(program: Command, act: Act): void {
  program
    .command('completion')
    .description('A script by which a shell completes commands and options')
    .addArgument(new Argument('<shell>').choices(SHELLS))
    .addHelpText(
      'after',
      showExamples({
        examples: `source <(chainwatch completion bash)
source <(chainwatch completion zsh)
chainwatch completion fish > ~/.config/fish/completions/chainwatch.fish`,
      }),
    )
    .action(
      act(async ({ output }: Context, shell: (typeof SHELLS)[number]) => {
        const pages = listPages(program);
        const zsh = 'autoload -U +X bashcompinit && bashcompinit\n';
        const script =
          shell === 'fish' ? completeFish(pages) : `${shell === 'zsh' ? zsh : ''}${completeBash(pages)}`;
        output.print({ shell, script }, script);
      }),
    );
}
