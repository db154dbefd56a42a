// SPDX-License-Identifier: Apache-2.0
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import { uploadLedger } from '../../api/upload-ledger.ts';
import { Button } from '../../ui/button.tsx';
import { reasonFor, Select, Checkbox, TextField } from '../../ui/field.tsx';
import { FileChooser } from '../../ui/file-chooser.tsx';
import { Modal, ModalActions } from '../../ui/modal.tsx';
import { Problem } from '../../ui/notice.tsx';
import { Progress } from '../../ui/progress.tsx';
import { saySize } from '../statements/describe-statement.ts';

/** What the API takes. */
export const LEDGER_BYTES_MAX = 256 * 1_024 * 1_024;

const LEDGER_TYPES = {
  'text/csv': 'CSV',
  'application/x-ndjson': 'JSON lines',
} as const;
type LedgerType = keyof typeof LEDGER_TYPES;

/** Parameters of a reconciliation, as they are written in the form. */
interface LedgerWindow {
  readonly name: string;
  /** A day, or empty: from the earliest time of the ledger. */
  readonly from: string;
  readonly to: string;
  readonly scope: 'project' | 'ledger';
  readonly includesFees: boolean;
}

export const NO_WINDOW: LedgerWindow = { name: '', from: '', to: '', scope: 'project', includesFees: false };

/** Sends a ledger. A dialog that is closed meanwhile ends the upload, of which nothing is kept. */
export function UploadDialog({ onClose }: { readonly onClose: () => void }) {
  const client = useQueryClient();
  const navigate = useNavigate();
  const [file, setFile] = useState<File>();
  const [mediaType, setMediaType] = useState<LedgerType>('text/csv');
  const [window, setWindow] = useState<LedgerWindow>(NO_WINDOW);
  const [sent, setSent] = useState(0);
  const stopping = useRef<AbortController>(undefined);
  useEffect(() => () => stopping.current?.abort(), []);
  const uploading = useMutation({
    mutationFn: (chosen: File) => {
      stopping.current = new AbortController();
      setSent(0);
      return uploadLedger({
        file: chosen,
        mediaType,
        query: toQuery(window),
        signal: stopping.current.signal,
        onProgress: setSent,
      });
    },
    onSuccess: async ({ id }) => {
      await client.invalidateQueries({ queryKey: ['reconciliations', 'list'] });
      await navigate({ to: '/reconciliations/$id', params: { id } });
    },
  });
  const fault = file && findFault(file);
  const reasons = ['name', 'from', 'to'].map((name) => reasonFor(uploading.error, name));
  return (
    <Modal
      title="Reconcile a ledger"
      description="CSV or JSON lines with hash or event_id, address, asset_gid, and amount in each row. At most 1,000,000 rows and 256 MiB."
      isSticky={uploading.isPending}
      onClose={onClose}
    >
      <form
        className="flex flex-col gap-3"
        onSubmit={(event) => {
          event.preventDefault();
          if (file !== undefined) uploading.mutate(file);
        }}
      >
        <LedgerFields
          file={file}
          fault={fault}
          mediaType={mediaType}
          onChoose={(chosen) => {
            setFile(chosen);
            setMediaType(guessType(chosen.name));
            uploading.reset();
          }}
          onType={setMediaType}
        />
        <WindowFields window={window} onChange={setWindow} reasons={reasons} />
        {uploading.isPending && file && <Sending sent={sent} size={file.size} />}
        {uploading.error && reasons.every((reason) => reason === undefined) && (
          <Problem error={uploading.error} />
        )}
        <ModalActions>
          {uploading.isPending ? (
            <Button onClick={() => stopping.current?.abort()}>Cancel upload</Button>
          ) : (
            <Button onClick={onClose}>Cancel</Button>
          )}
          <Button
            type="submit"
            look="primary"
            disabled={file === undefined || fault !== undefined}
            isBusy={uploading.isPending}
          >
            Upload ledger
          </Button>
        </ModalActions>
      </form>
    </Modal>
  );
}

/** As the API names them; empty ones are left out. */
export function toQuery({
  name,
  from,
  to,
  scope,
  includesFees,
}: LedgerWindow): Readonly<Record<string, string | undefined>> {
  return {
    name: name.trim() || undefined,
    from: from === '' ? undefined : `${from}T00:00:00Z`,
    to: to === '' ? undefined : `${to}T00:00:00Z`,
    scope,
    include_fees: includesFees ? 'true' : undefined,
  };
}

/** By the name of the file; what has no telling name is CSV. */
export function guessType(fileName: string): LedgerType {
  return /\.(ndjson|jsonl|json)$/i.test(fileName) ? 'application/x-ndjson' : 'text/csv';
}

/** @returns why a file cannot be sent, before any of it is */
export function findFault({ size }: Pick<File, 'size'>): string | undefined {
  if (size === 0) return 'The file is empty.';
  if (size > LEDGER_BYTES_MAX) return 'The file is larger than 256 MiB. Split it by time.';
  return undefined;
}

interface LedgerFieldsProps {
  readonly file: File | undefined;
  readonly fault: string | undefined;
  readonly mediaType: LedgerType;
  readonly onChoose: (file: File) => void;
  readonly onType: (mediaType: LedgerType) => void;
}

function LedgerFields({ file, fault, mediaType, onChoose, onType }: LedgerFieldsProps) {
  return (
    <>
      <FileChooser
        label="Ledger file"
        accept=".csv,.txt,.ndjson,.jsonl,.json,text/csv,application/x-ndjson"
        onChoose={onChoose}
      />
      {file && (
        <p aria-live="polite" className={`text-[13px] ${fault === undefined ? 'text-soft' : 'text-bad'}`}>
          {fault ?? `${file.name}, ${saySize(file.size)}`}
        </p>
      )}
      <Select
        label="Format of the file"
        value={mediaType}
        onChange={(event) => onType(event.target.value as LedgerType)}
      >
        {Object.entries(LEDGER_TYPES).map(([value, title]) => (
          <option key={value} value={value}>
            {title}
          </option>
        ))}
      </Select>
    </>
  );
}

function Sending({ sent, size }: { readonly sent: number; readonly size: number }) {
  return (
    <div aria-live="polite" className="flex flex-col gap-1.5 text-[13px] text-soft tabular-nums">
      <Progress label="Uploaded" value={sent} max={size} />
      {sent < size ? `${saySize(sent)} of ${saySize(size)} sent` : 'Sent. The service is storing the rows.'}
    </div>
  );
}

interface WindowFieldsProps {
  readonly window: LedgerWindow;
  readonly onChange: (window: LedgerWindow) => void;
  /** Of `name`, `from`, `to`. */
  readonly reasons: readonly (string | undefined)[];
}

function WindowFields({ window, onChange, reasons }: WindowFieldsProps) {
  const set = (change: Partial<LedgerWindow>): void => onChange({ ...window, ...change });
  return (
    <>
      <TextField
        label="Name"
        placeholder="October 2026"
        hint="Optional"
        maxLength={255}
        value={window.name}
        onChange={(event) => set({ name: event.target.value })}
        error={reasons[0]}
      />
      <div className="grid gap-3 sm:grid-cols-2">
        <TextField
          label="From"
          type="date"
          hint="Inclusive, midnight UTC. Defaults to the earliest row."
          value={window.from}
          onChange={(event) => set({ from: event.target.value })}
          error={reasons[1]}
        />
        <TextField
          label="To"
          type="date"
          hint="Exclusive, midnight UTC. Defaults to the latest row."
          value={window.to}
          onChange={(event) => set({ to: event.target.value })}
          error={reasons[2]}
        />
      </div>
      <Select
        label="Look for missing rows at"
        value={window.scope}
        hint="Movements of these addresses in the period count as missing in the books if no row names them."
        onChange={(event) => set({ scope: event.target.value as LedgerWindow['scope'] })}
      >
        <option value="project">All addresses of the project</option>
        <option value="ledger">Addresses that the ledger names</option>
      </Select>
      <Checkbox
        label="Include fees"
        hint="Fees that no row names count as missing in the books."
        checked={window.includesFees}
        onChange={(event) => set({ includesFees: event.target.checked })}
      />
    </>
  );
}
