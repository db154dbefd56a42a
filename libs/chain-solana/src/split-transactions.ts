// SPDX-License-Identifier: Apache-2.0
/** An answer about a block, cut at its transactions. */
export interface SplitAnswer {
  /** The answer, with only the last transaction. */
  readonly rest: unknown;
  /**
   * The transactions before it, each parsed when the iteration reaches it. @throws SyntaxError where the text
   * was cut wrongly
   */
  readonly others: Iterable<unknown>;
}

const LIST = '"transactions":[';
const FIRST_KEY = /\{"\w+":/y;

/**
 * A block that is parsed at once is megabytes of objects that live until the last is decoded, and the garbage
 * collector spends as long on copying them as parsing takes; parsed one by one they die young. All
 * transactions begin with the same key, and quotes inside a JSON text are escaped. So a cut before each such
 * key gives whole transactions, or text that does not parse. Undefined where nothing can be cut.
 */
export function splitTransactions(text: string): SplitAnswer | undefined {
  const first = text.indexOf(LIST) + LIST.length;
  FIRST_KEY.lastIndex = first;
  const key = first < LIST.length ? undefined : FIRST_KEY.exec(text)?.[0];
  if (key === undefined) return undefined;
  const border = `},${key}`;
  const last = text.lastIndexOf(border) + 2;
  if (last <= first) return undefined;
  const rest = tryParse(text.slice(0, first) + text.slice(last));
  return rest === undefined
    ? undefined
    : { rest, others: { [Symbol.iterator]: () => readOthers(text, { first, last, border }) } };
}

function* readOthers(
  text: string,
  { first, last, border }: { readonly first: number; readonly last: number; readonly border: string },
): Generator<unknown> {
  for (let from = first; from < last; ) {
    const end = text.indexOf(border, from) + 1;
    yield JSON.parse(text.slice(from, end));
    from = end + 1;
  }
}

function tryParse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
