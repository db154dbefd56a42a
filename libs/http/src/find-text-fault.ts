// A lone half of a surrogate pair; with the u flag, whole pairs are one character and do not match.
const LONE_SURROGATE = /\p{Surrogate}/u;

/** Why PostgreSQL could not store this text; undefined when it can. */
export function findTextFault(text: string): string | undefined {
  if (text.includes('\u0000')) return 'must not contain a null character';
  if (LONE_SURROGATE.test(text)) return 'must be well-formed Unicode';
  return undefined;
}
