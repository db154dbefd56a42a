// SPDX-License-Identifier: Apache-2.0
import { CopyButton } from '../../ui/copy.tsx';

interface MessageProps {
  readonly title: string;
  readonly line: string | undefined;
  readonly headers: unknown;
  readonly body: unknown;
}

/** One side of an exchange: its first line, headers and body. */
export function Message({ title, line, headers, body }: MessageProps) {
  const named = Object.entries((headers ?? {}) as Record<string, unknown>);
  const text = toText(body);
  return (
    <section aria-label={title} className="min-w-0 overflow-hidden rounded-lg border border-line bg-panel">
      <header className="flex min-h-9 items-center gap-2 border-b border-line px-3 text-[13px]">
        <h3 className="font-medium">{title}</h3>
        <code className="min-w-0 truncate font-mono text-xs text-soft" title={line}>
          {line}
        </code>
        <span className="ml-auto">
          {text !== '' && <CopyButton text={text} label={`Copy the body of the ${title.toLowerCase()}`} />}
        </span>
      </header>
      {named.length > 0 && (
        <details className="border-b border-line px-3 py-1.5 text-[13px]">
          <summary className="text-soft">{named.length} headers</summary>
          <dl className="mt-1 grid grid-cols-[auto_minmax(0,1fr)] gap-x-4 gap-y-0.5 pb-1 font-mono text-xs">
            {named.map(([name, value]) => (
              <div key={name} className="contents">
                <dt className="text-faint">{name}</dt>
                <dd className="break-all">{String(value)}</dd>
              </div>
            ))}
          </dl>
        </details>
      )}
      {text === '' ? (
        <p className="px-3 py-2 text-[13px] text-faint">No body</p>
      ) : (
        <pre tabIndex={0} className="max-h-80 overflow-auto px-3 py-2 font-mono text-xs leading-relaxed">
          {text}
        </pre>
      )}
    </section>
  );
}

/** JSON with line breaks, where that changes no number of it: bodies come without spaces. */
function toText(body: unknown): string {
  if (body === null || body === undefined) return '';
  if (typeof body !== 'string') return JSON.stringify(body, undefined, 2);
  try {
    const parsed: unknown = JSON.parse(body);
    return JSON.stringify(parsed) === body ? JSON.stringify(parsed, undefined, 2) : body;
  } catch {
    return body;
  }
}
