// SPDX-License-Identifier: Apache-2.0
import { Copy } from 'lucide-react';
import { useId, useState } from 'react';
import { classes } from '../../ui/classes.ts';
import { CopyAction } from '../../ui/copy.tsx';
import { DocsLink } from '../../ui/docs-link.tsx';
import { SNIPPETS } from './snippets.ts';

/** The reader's own receiver, in a language of the reader's. */
export function ReceiverSnippet() {
  const id = useId();
  const [at, setAt] = useState(0);
  const { text, file } = SNIPPETS[at]!;
  const onKey = (event: React.KeyboardEvent): void => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    const next = (at + step + SNIPPETS.length) % SNIPPETS.length;
    setAt(next);
    document.getElementById(`${id}-tab-${next}`)?.focus();
  };
  return (
    <div className="min-w-0 overflow-hidden rounded-lg border border-line">
      <div className="flex flex-wrap items-center justify-between gap-2 border-b border-line bg-sunken px-2 py-1.5">
        <div role="tablist" aria-label="Languages" className="flex flex-wrap" onKeyDown={onKey}>
          {SNIPPETS.map(({ language }, index) => (
            <button
              key={language}
              type="button"
              role="tab"
              id={`${id}-tab-${index}`}
              aria-selected={index === at}
              aria-controls={`${id}-panel`}
              tabIndex={index === at ? 0 : -1}
              onClick={() => setAt(index)}
              className={classes(
                'h-7 rounded px-2 text-xs font-medium',
                index === at ? 'bg-panel text-ink' : 'text-soft hover:text-ink',
              )}
            >
              {language}
            </button>
          ))}
        </div>
        <CopyAction isSmall text={text} icon={Copy}>
          Copy code
        </CopyAction>
      </div>
      <pre
        role="tabpanel"
        id={`${id}-panel`}
        aria-labelledby={`${id}-tab-${at}`}
        tabIndex={0}
        className="max-h-72 overflow-auto bg-panel p-3 font-mono text-xs"
      >
        {text}
      </pre>
      <p className="flex flex-wrap items-center gap-x-4 gap-y-1 border-t border-line px-3 py-2 text-xs text-soft">
        <span>
          Save as <code className="font-mono">{file}</code> and set{' '}
          <code className="font-mono">CHAINWATCH_WEBHOOK_SECRET</code> to the signing secret of the channel.
        </span>
        <DocsLink page="guides/receivers">More receivers</DocsLink>
      </p>
    </div>
  );
}
