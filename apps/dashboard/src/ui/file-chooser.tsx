// SPDX-License-Identifier: Apache-2.0
import { FileUp } from 'lucide-react';

interface FileChooserProps {
  /** What kind of file, for who does not see it. */
  readonly label: string;
  /** Endings and media types, separated by commas. */
  readonly accept: string;
  readonly onChoose: (file: File) => void;
}

/** A file of the person's own. */
export function FileChooser({ label, accept, onChoose }: FileChooserProps) {
  return (
    <label className="flex cursor-pointer flex-col items-center gap-1.5 rounded-lg border border-dashed border-line-strong px-4 py-8 text-center text-[13px] text-soft focus-within:border-accent hover:bg-hover">
      <FileUp aria-hidden className="size-5 text-faint" />
      <span className="font-medium text-ink">Choose a file</span>
      <input
        type="file"
        accept={accept}
        aria-label={label}
        onChange={(event) => {
          const [chosen] = event.target.files ?? [];
          if (chosen) onChoose(chosen);
        }}
        className="max-w-full text-xs file:hidden"
      />
    </label>
  );
}
