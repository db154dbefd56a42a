// SPDX-License-Identifier: Apache-2.0
import { useId } from 'react';
import type { ComponentProps, ReactNode } from 'react';
import { ApiError } from '../api/client.ts';
import { classes } from './classes.ts';

const INPUT =
  'w-full rounded-md border border-line-strong bg-panel text-ink placeholder:text-faint aria-invalid:border-bad-dot';

interface FieldProps {
  readonly label: string;
  readonly hint?: ReactNode;
  readonly error?: string;
}

type Given<T extends 'input' | 'textarea' | 'select'> = FieldProps & ComponentProps<T>;

export function TextField({ label, hint, error, className, ...rest }: Given<'input'>) {
  const id = useId();
  return (
    <Labelled id={id} label={label} hint={hint} error={error}>
      <input
        id={id}
        autoComplete="off"
        spellCheck={false}
        aria-invalid={error !== undefined}
        aria-describedby={`${id}-hint`}
        {...rest}
        className={classes(INPUT, 'h-9 px-3', className)}
      />
    </Labelled>
  );
}

export function TextArea({ label, hint, error, className, ...rest }: Given<'textarea'>) {
  const id = useId();
  return (
    <Labelled id={id} label={label} hint={hint} error={error}>
      <textarea
        id={id}
        rows={4}
        autoComplete="off"
        spellCheck={false}
        aria-invalid={error !== undefined}
        aria-describedby={`${id}-hint`}
        {...rest}
        className={classes(INPUT, 'px-3 py-2', className)}
      />
    </Labelled>
  );
}

export function Select({ label, hint, error, className, children, ...rest }: Given<'select'>) {
  const id = useId();
  return (
    <Labelled id={id} label={label} hint={hint} error={error}>
      <select
        id={id}
        aria-describedby={`${id}-hint`}
        {...rest}
        className={classes(INPUT, 'h-9 px-2', className)}
      >
        {children}
      </select>
    </Labelled>
  );
}

export function Checkbox({ label, hint, ...rest }: FieldProps & ComponentProps<'input'>) {
  return (
    <label className="flex items-start gap-2.5 text-[13px]">
      <input type="checkbox" {...rest} className="mt-0.5 size-4 accent-accent" />
      <span>
        {label}
        {hint !== undefined && <span className="block text-faint">{hint}</span>}
      </span>
    </label>
  );
}

interface LabelledProps extends FieldProps {
  readonly id: string;
  readonly children: ReactNode;
}

function Labelled({ id, label, hint, error, children }: LabelledProps) {
  return (
    <div className="flex flex-col gap-1.5">
      <label htmlFor={id} className="text-[13px] font-medium">
        {label}
      </label>
      {children}
      <p id={`${id}-hint`} className={classes('text-xs', error === undefined ? 'text-faint' : 'text-bad')}>
        {error ?? hint}
      </p>
    </div>
  );
}

/** What the API says of one member of a body, or of a part of it: `filters` has `filters.groups[0]`, too. */
export function reasonFor(error: unknown, name: string): string | undefined {
  if (!(error instanceof ApiError)) return undefined;
  return error.fields.find((field) => isPartOf(field.name, name))?.reason;
}

/** Whether each fault that the API names is one of these members, and so is shown beside it. */
export function isPlaced(error: unknown, names: readonly string[]): boolean {
  if (!(error instanceof ApiError) || error.fields.length === 0) return false;
  return error.fields.every((field) => names.some((name) => isPartOf(field.name, name)));
}

function isPartOf(path: string, name: string): boolean {
  return path === name || path.startsWith(`${name}.`) || path.startsWith(`${name}[`);
}
