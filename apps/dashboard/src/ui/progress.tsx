interface ProgressProps {
  readonly label: string;
  /** Undefined: how far it is is not known. */
  readonly value: number | undefined;
  readonly max: number;
}

export function Progress({ label, value, max }: ProgressProps) {
  return (
    <progress
      aria-label={label}
      value={value}
      max={Math.max(max, 1)}
      className="h-1.5 w-full accent-accent"
    />
  );
}
