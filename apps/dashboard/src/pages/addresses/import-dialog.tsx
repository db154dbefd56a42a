import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { Button } from '../../ui/button.tsx';
import { FileChooser } from '../../ui/file-chooser.tsx';
import { Modal, ModalActions } from '../../ui/modal.tsx';
import { Problem } from '../../ui/notice.tsx';
import { toTitle, useFamilies, type Family } from './families.ts';
import { FamilySelect } from './family-select.tsx';
import { importEntries, type ImportResult } from './import-entries.ts';
import { parseCsv, type ParsedFile } from './parse-csv.ts';

const FAULTS_SHOWN = 5;

/** A file is looked through first, then sent in parts; doing it again adds nothing twice. */
export function ImportDialog({ onClose }: { readonly onClose: () => void }) {
  const client = useQueryClient();
  const families = useFamilies();
  const [family, setFamily] = useState<Family>(families[0]!);
  const [text, setText] = useState<string>();
  const file = useMemo(
    () => (text === undefined ? undefined : parseCsv(text, families, family)),
    [text, families, family],
  );
  const [sent, setSent] = useState(0);
  const importing = useMutation({
    mutationFn: () => importEntries(file!.entries, setSent),
    onSettled: () => client.invalidateQueries({ queryKey: ['addresses'] }),
  });
  const isReady = file !== undefined && file.entries.length > 0;
  return (
    <Modal
      title="Import addresses"
      description="A CSV file with address, label and family in each line; label and family may be missing. With a first line that names its columns it may have groups and metadata, as exports do, and chain_gids."
      isSticky={importing.isPending}
      onClose={onClose}
    >
      <div className="flex flex-col gap-4">
        {!importing.data && !importing.isPending && (
          <>
            <FamilySelect label="Family of lines that name none" family={family} onChange={setFamily} />
            <FileChooser
              label="CSV file"
              accept=".csv,.txt,text/csv,text/plain"
              onChoose={(chosen) => void chosen.text().then(setText)}
            />
          </>
        )}
        {file && !importing.data && <Summary file={file} />}
        {importing.isPending && (
          <div aria-live="polite" className="flex flex-col gap-1.5 text-[13px] text-soft tabular-nums">
            <progress
              aria-label="Imported"
              value={sent}
              max={file?.entries.length}
              className="h-1.5 w-full accent-accent"
            />
            {sent.toLocaleString()} of {file?.entries.length.toLocaleString()}
          </div>
        )}
        {importing.error && <Problem error={importing.error} onRetry={() => importing.mutate()} />}
        {importing.data && <Outcome result={importing.data} />}
      </div>
      <ModalActions>
        {importing.data ? (
          <Button look="primary" onClick={onClose}>
            Done
          </Button>
        ) : (
          <>
            <Button disabled={importing.isPending} onClick={onClose}>
              Cancel
            </Button>
            <Button
              look="primary"
              disabled={!isReady}
              isBusy={importing.isPending}
              onClick={() => importing.mutate()}
            >
              {isReady ? `Import ${file.entries.length.toLocaleString()} addresses` : 'Import'}
            </Button>
          </>
        )}
      </ModalActions>
    </Modal>
  );
}

/** What would be sent: nothing has been yet. */
function Summary({ file: { entries, faults } }: { readonly file: ParsedFile }) {
  const counts = [...Map.groupBy(entries, ({ family }) => family)].map(
    ([family, group]) => `${group.length.toLocaleString()} ${toTitle(family)}`,
  );
  return (
    <div className="text-[13px]" aria-live="polite">
      <p>
        {entries.length.toLocaleString()} addresses{counts.length > 0 && `: ${counts.join(', ')}`}.
      </p>
      <Faults faults={faults} />
    </div>
  );
}

function Outcome({ result: { created, existing, faults } }: { readonly result: ImportResult }) {
  return (
    <div className="text-[13px]" aria-live="polite">
      <p>
        {created.toLocaleString()} are new and monitored, {existing.toLocaleString()} were there already.
      </p>
      <Faults faults={faults} />
    </div>
  );
}

function Faults({ faults }: Pick<ParsedFile, 'faults'>) {
  if (faults.length === 0) return null;
  return (
    <div className="mt-2 rounded-md bg-warn-wash px-3 py-2 text-warn">
      <p className="font-medium">
        {faults.length === 1
          ? 'One line is left out'
          : `${faults.length.toLocaleString()} lines are left out`}
      </p>
      <ul>
        {faults.slice(0, FAULTS_SHOWN).map(({ line, reason }) => (
          <li key={line} className="break-words">
            Line {line}: {reason}
          </li>
        ))}
        {faults.length > FAULTS_SHOWN && <li>…</li>}
      </ul>
    </div>
  );
}
