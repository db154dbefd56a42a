// SPDX-License-Identifier: Apache-2.0
import { createOutput, paint } from './output.ts';

function write(isJson: boolean, isTTY = false) {
  const seen = { stdout: '', stderr: '' };
  const output = createOutput({
    isJson,
    hasColors: isTTY,
    stdout: { write: (text) => (seen.stdout += text) },
    stderr: { isTTY, write: (text) => (seen.stderr += text) },
  });
  return { output, seen };
}

it('lays rows out under their columns, and prints them as JSON, one a line', () => {
  const rows = [
    { id: 1, name: 'a', more: null },
    { id: 22, name: { x: 1 } },
  ];
  const people = write(false);
  people.output.table(rows);
  expect(people.seen.stdout).toBe('id  name     more\n1   a\n22  {"x":1}\n');
  people.output.table([]);
  expect(people.seen.stdout).toMatch(/nothing\n$/);
  const scripts = write(true);
  scripts.output.table(rows);
  scripts.output.print({ a: 1 }, 'text');
  expect(scripts.seen.stdout).toBe('{"id":1,"name":"a","more":null}\n{"id":22,"name":{"x":1}}\n{"a":1}\n');
});

it("keeps a stranger's text from the terminal: no colors, no cursor, no title", () => {
  const { output, seen } = write(false, true);
  output.table([{ label: '\u001b]0;title\u0007\u001b[2J\n\rx\u009b31m' }]);
  output.print(undefined, `${paint(output, 'green', '✓')} \u001b[2J\u0007`);
  output.note('\u001b]8;;http://x\u001b\\');
  expect(seen.stdout.replaceAll(/\u001b\[\d{1,2}m/g, '') + seen.stderr).not.toMatch(
    /[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/,
  );
  expect(seen.stdout).toContain('\u001b[32m✓\u001b[0m');
});

it('draws progress on a terminal alone', () => {
  const [terminal, file] = [write(false, true), write(false)];
  for (const { output } of [terminal, file]) output.progress(1, 2, 'addresses');
  expect(terminal.seen.stderr).toBe('\r██████████░░░░░░░░░░ 1/2 addresses');
  expect(file.seen.stderr).toBe('');
});
