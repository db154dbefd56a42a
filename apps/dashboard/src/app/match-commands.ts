// SPDX-License-Identifier: Apache-2.0
interface Named {
  readonly title: string;
  /** Other words for it. */
  readonly words?: string;
}

/** Each word that was written begins another word of the command: `add addr` is "Add address", and not "Addresses". */
export function matchCommands<C extends Named>(commands: readonly C[], text: string): readonly C[] {
  const wanted = text.toLowerCase().split(/\s+/).filter(Boolean);
  return commands.filter(({ title, words = '' }) => {
    const left = `${title} ${words}`.toLowerCase().split(/\s+/);
    return wanted.every((word) => {
      const at = left.findIndex((each) => each.startsWith(word));
      if (at !== -1) left.splice(at, 1);
      return at !== -1;
    });
  });
}
