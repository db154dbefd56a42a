// SPDX-License-Identifier: Apache-2.0
/** A copy of an answer with one thing changed, and where. */
interface Lie {
  readonly at: string;
  readonly answer: unknown;
}

/** Characters that are changed in all, each in a copy of its own; of every text at least one. */
const PLACES = 60;

/** Each value of an answer changed, each part of it left out, the end of each list told twice. */
export function listLies(answer: unknown): Lie[] {
  return list(answer, '', Math.max(1, Math.floor(PLACES / countTexts(answer))));
}

function countTexts(answer: unknown): number {
  if (typeof answer === 'object' && answer !== null)
    return Object.values(answer).reduce((count: number, part) => count + countTexts(part), 0);
  return typeof answer === 'string' ? 1 : 0;
}

function list(answer: unknown, at: string, places: number): Lie[] {
  if (Array.isArray(answer)) {
    const changed = answer.flatMap((element, index) =>
      list(element, `${at}[${index}]`, places).map((lie) => ({
        at: lie.at,
        answer: answer.with(index, lie.answer) as unknown,
      })),
    );
    const shorter = answer.map((_, index) => ({
      at: `${at} without [${index}]`,
      answer: answer.toSpliced(index, 1) as unknown,
    }));
    return answer.length === 0
      ? []
      : [...changed, ...shorter, { at: `${at} with its end twice`, answer: [...answer, answer.at(-1)] }];
  }
  if (typeof answer === 'object' && answer !== null) {
    return Object.entries(answer).flatMap(([key, value]) => [
      ...list(value, `${at}.${key}`, places).map((lie) => ({
        at: lie.at,
        answer: { ...answer, [key]: lie.answer },
      })),
      {
        at: `${at} without ${key}`,
        answer: Object.fromEntries(Object.entries(answer).filter(([other]) => other !== key)),
      },
    ]);
  }
  if (typeof answer === 'string') return alterText(answer, places).map((text) => ({ at, answer: text }));
  if (typeof answer === 'number') return [{ at, answer: answer + 1 }];
  return typeof answer === 'boolean' ? [{ at, answer: !answer }] : [];
}

/** Other hexadecimal digits, letters or figures at places all over the text, `0x` left alone. */
function alterText(text: string, places: number): string[] {
  const first = text.startsWith('0x') ? 2 : 0;
  const step = Math.max(1, Math.floor((text.length - first) / places));
  const altered: string[] = [];
  // From the end: a leading digit may be one of many zeros.
  for (let place = text.length - 1; place >= first && altered.length < places; place -= step) {
    const other = text[place] === '1' ? '2' : '1';
    altered.push(text.slice(0, place) + other + text.slice(place + 1));
  }
  return altered;
}
