import { keys, rows, slots } from './layout.mjs';

const HEAD = '// Made from ../layout.mjs by `npm run build:wasm`.\n';

/** Offsets of every field, as the module reads them: `TX_HASH`, `TX_SIZE`. */
export function makeAssemblyLayout() {
  return `${HEAD}\n${offsets()
    .map(({ row, field, at }) => `export const ${row}_${field}: usize = ${at};\n`)
    .join('')}`;
}

/** Which key the scanner read last, as the field that it fills. */
export function makeAssemblyKeys() {
  const tables = Object.entries(slots).map(([name, fields]) => makeSlot(name, fields));
  const names = keys.map(
    (key) =>
      `@inline\nexport function is${key.charAt(0).toUpperCase()}${key.slice(1)}(): bool {\n  return json.keyLength == ${key.length} && ${compare(key)};\n}\n`,
  );
  return `${HEAD}// Keys are compared as words of eight characters, the first one in the lowest byte.\n\nimport * as json from './json';\nimport * as rows from './layout';\n\n${[...tables, ...names].join('\n')}`;
}

/** The same offsets for the caller: `layout.TX.HASH`, `layout.TX.SIZE`. */
export function makeCallerLayout() {
  const lines = Object.keys(rows).map((row) => {
    const fields = offsets().filter((each) => each.row === row);
    return `  ${row}: {\n${fields.map(({ field, at }) => `    ${field}: ${at},\n`).join('')}  },\n`;
  });
  return `${HEAD}export const layout = {\n${lines.join('')}} as const;\n`;
}

/** @returns {{ row: string, field: string, at: number }[]} the fields of each row, then its size, at a multiple of 8 */
function offsets() {
  return Object.entries(rows).flatMap(([row, fields]) => {
    let at = 0;
    const places = Object.entries(fields).map(([field, size]) => {
      const place = { row, field, at };
      at += size;
      return place;
    });
    return [...places, { row, field: 'SIZE', at }];
  });
}

/**
 * @param {string} name
 * @param {Record<string, string>} fields
 */
function makeSlot(name, fields) {
  const lengths = [...new Set(Object.keys(fields).map(({ length }) => length))].sort(
    (one, other) => one - other,
  );
  const cases = lengths.map((length) => {
    const lines = Object.entries(fields)
      .filter(([key]) => key.length === length)
      .map(([key, field]) => `      if (${compare(key)}) return rows.${field}; // ${key}\n`);
    return `    case ${length}:\n${lines.join('')}      return 0;\n`;
  });
  return `/** 0: none that is read. */\nexport function ${name}(): usize {\n  switch (json.keyLength) {\n${cases.join('')}    default:\n      return 0;\n  }\n}\n`;
}

/** @param {string} key */
function compare(key) {
  if (key.length > 24) throw new Error(`expected a key of at most 24 characters, got ${key}`);
  const parts = [`json.keyHead == ${wordOf(key.slice(0, 8))}`];
  if (key.length > 16) parts.push(`json.keyMiddle == ${wordOf(key.slice(8, 16))}`);
  if (key.length > 8) parts.push(`json.keyTail == ${wordOf(key.slice(-8))}`);
  return parts.join(' && ');
}

/** @param {string} text */
function wordOf(text) {
  return `0x${Buffer.from(text, 'latin1').reverse().toString('hex')}`;
}
