/** An answer about a block, cut at its transactions. */
export interface SplitAnswer {
  /** The answer with the last transaction alone. */
  readonly rest: unknown;
  /** The transactions before it, each read when it is come to. @throws SyntaxError where the text was cut wrongly */
  readonly others: Iterable<unknown>;
}

const LIST = '"transactions":[';
const FIRST_KEY = /\{"\w+":/y;

/**
 * Parsed at once a block is megabytes of objects that live until the last of them is decoded, and the collector copies them
 * about for as long as parsing takes; one by one they die young. All begin with the same key, and inside a JSON text a quote
 * is escaped: what is cut where another one begins is each of them, or does not parse. Undefined where nothing is cut.
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
    : { rest, others: { [Symbol.iterator]: () => readOthers(text, first, last, border) } };
}

function* readOthers(text: string, first: number, last: number, border: string): Generator<unknown> {
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
