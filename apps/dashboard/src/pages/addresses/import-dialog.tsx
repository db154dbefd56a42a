// SPDX-License-Identifier: Apache-2.0
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { Button } from '../../ui/button.tsx';
import { FileChooser } from '../../ui/file-chooser.tsx';
import { Modal, ModalActions } from '../../ui/modal.tsx';
import { Problem } from '../../ui/notice.tsx';
import { checkEntries } from './check-entries.ts';
import { useFamilies, type Family } from './families.ts';
import { FamilySelect } from './family-select.tsx';
import { importEntries } from './import-entries.ts';
import { BurnChoice, Checked, Imported, Rejected, Sending } from './import-steps.tsx';
import { parseCsv, type Fault, type ParsedFile } from './parse-csv.ts';

interface ChosenFile {
  /** Of each choice another one: the same file may have been changed. */
  readonly id: number;
  readonly name: string;
  readonly text: string;
}

/** A file is checked as a whole first, then sent in parts. Doing it again adds nothing twice. */
export function ImportDialog({ onClose }: { readonly onClose: () => void }) {
  const client = useQueryClient();
  const families = useFamilies();
  const [usual, setUsual] = useState<Family>();
  const [chosen, setChosen] = useState<ChosenFile>();
  const [isOnPurpose, setOnPurpose] = useState(false);
  const [sent, setSent] = useState(0);
  const file = useMemo(() => chosen && parseCsv(chosen.text, families), [chosen, families]);
  const check = useCheckedFile(chosen?.id, file, usual);
  const entries = check.data ? [...check.data.ready, ...(isOnPurpose ? check.data.burns : [])] : [];
  const importing = useMutation({
    mutationFn: () => importEntries(entries, { allowBurn: isOnPurpose, onSent: setSent }),
    onSettled: () => client.invalidateQueries({ queryKey: ['addresses'] }),
  });
  const faults = listFaults([
    ...[file?.faults, check.data?.faults, importing.data?.faults],
    isOnPurpose ? undefined : check.data?.burns,
  ]);
  const choose = async (one: File): Promise<void> => {
    setOnPurpose(false);
    setChosen({ id: performance.now(), name: one.name, text: await one.text() });
  };
  const isChoosing = !importing.data && !importing.isPending;
  return (
    <Modal
      title="Import addresses"
      description="A CSV file with address, label, and family per line. Only the address is required. A header line may also name groups, metadata, and chain_gids, as exports do."
      isSticky={importing.isPending}
      onClose={onClose}
    >
      <div className="flex flex-col gap-4">
        {isChoosing && (
          <>
            <FamilySelect label="Family of lines that name none" family={usual} onChange={setUsual} />
            <FileChooser
              label="CSV file"
              accept=".csv,.txt,text/csv,text/plain"
              onChoose={(one) => void choose(one)}
            />
          </>
        )}
        {check.isFetching && isChoosing && (
          <Sending label="Checked" done={check.done} total={file?.entries.length ?? 0} />
        )}
        {check.error && <Problem error={check.error} onRetry={() => void check.refetch()} />}
        {check.data && isChoosing && <Checked result={check.data} />}
        {check.data && isChoosing && check.data.burns.length > 0 && (
          <BurnChoice count={check.data.burns.length} isOnPurpose={isOnPurpose} onChange={setOnPurpose} />
        )}
        {importing.isPending && <Sending label="Imported" done={sent} total={entries.length} />}
        {importing.error && <Problem error={importing.error} onRetry={() => importing.mutate()} />}
        {importing.data && <Imported result={importing.data} />}
        {file && (check.data || file.entries.length === 0) && (
          <Rejected file={file} name={chosen!.name} faults={faults} />
        )}
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
              disabled={entries.length === 0}
              isBusy={importing.isPending}
              onClick={() => importing.mutate()}
            >
              {entries.length > 0 ? `Import ${entries.length.toLocaleString()} addresses` : 'Import'}
            </Button>
          </>
        )}
      </ModalActions>
    </Modal>
  );
}

function useCheckedFile(id: number | undefined, file: ParsedFile | undefined, usual: Family | undefined) {
  const [done, setDone] = useState(0);
  const query = useQuery({
    queryKey: ['import-check', id, usual],
    queryFn: ({ signal }) => {
      setDone(0);
      return checkEntries(file!.entries, { usual, signal, onChecked: setDone });
    },
    enabled: file !== undefined && file.entries.length > 0,
    staleTime: Infinity,
    gcTime: 0,
    retry: false,
  });
  return { ...query, done };
}

/** Of the file, of its check, and of the import, in the order of the lines. */
function listFaults(lists: readonly (readonly Fault[] | undefined)[]): readonly Fault[] {
  return lists.flatMap((faults) => faults ?? []).toSorted((one, other) => one.line - other.line);
}
