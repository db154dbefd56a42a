import { streamOf, subjectOf, type SubjectKind } from '@chainwatch/events';

/** One consumer per stream: server 2.9 takes a single filter, and the kinds of a stream keep their order this way. */
export interface ConsumerFilter<K extends SubjectKind> {
  readonly stream: string;
  readonly subject: string;
  readonly kinds: ReadonlySet<K>;
}

export function filtersOf<K extends SubjectKind>(
  kinds: readonly K[],
  tokens: readonly string[] = [],
): ConsumerFilter<K>[] {
  const byStream = new Map<string, Set<K>>();
  for (const kind of kinds) {
    const stream = streamOf(kind);
    byStream.set(stream, (byStream.get(stream) ?? new Set<K>()).add(kind));
  }
  return [...byStream].map(([stream, members]) => ({
    stream,
    subject: filterSubject(stream, [...members], tokens),
    kinds: members,
  }));
}

function filterSubject(stream: string, kinds: readonly SubjectKind[], tokens: readonly string[]): string {
  const [first] = kinds;
  if (first === undefined) throw new TypeError('expected at least one kind, got none');
  const subject = subjectOf(first, tokens);
  if (kinds.length === 1) return subject;
  return [stream, '*', ...subject.split('.').slice(2)].join('.');
}
