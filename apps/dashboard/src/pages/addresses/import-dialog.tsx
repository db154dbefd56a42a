// SPDX-License-Identifier: Apache-2.0
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { Button } from '../../ui/button.tsx';
import { FileChooser } from '../../ui/file-chooser.tsx';
import { Modal, ModalActions } from '../../ui/modal.tsx';
import { Problem } from '../../ui/notice.tsx';
import { checkEntries, type CheckedEntries, type ReadyEntry } from './check-entries.ts';
import { useFamilies, type Family, toTitle } from './families.ts';
import { FamilySelect } from './family-select.tsx';
import { parseCsv, writeRejected, type Fault, type ParsedFile } from './parse-csv.ts';
import { Download } from 'lucide-react';
import { Checkbox } from '../../ui/field.tsx';
import { saveFile } from '../../ui/save-file.ts';
import { api, bodyOf } from '../../api/client.ts';

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

const FAULTS_SHOWN = 5;

/** What an import would do; nothing has been sent yet. */
function Checked({ result: { ready, created, existing } }: { readonly result: CheckedEntries }) {
  const families = [...Map.groupBy(ready, ({ family }) => family)].map(
    ([family, group]) => `${group.length.toLocaleString()} ${toTitle(family)}`,
  );
  return (
    <div role="status" className="text-[13px]">
      <p>
        {created.toLocaleString()} new · {existing.toLocaleString()} already registered
      </p>
      {families.length > 0 && <p className="text-soft">Families: {families.join(', ')}</p>}
    </div>
  );
}

function Imported({ result: { created, existing } }: { readonly result: ImportResult }) {
  return (
    <p role="status" className="text-[13px]">
      {created.toLocaleString()} imported and monitored · {existing.toLocaleString()} already registered
    </p>
  );
}

interface BurnChoiceProps {
  readonly count: number;
  readonly isOnPurpose: boolean;
  readonly onChange: (isOnPurpose: boolean) => void;
}

function BurnChoice({ count, isOnPurpose, onChange }: BurnChoiceProps) {
  return (
    <Checkbox
      label={`Import burn addresses (${count.toLocaleString()}): this is on purpose`}
      hint="Burn addresses are shared by everyone. Each mint and burn of a token becomes an event."
      checked={isOnPurpose}
      onChange={({ target }) => onChange(target.checked)}
    />
  );
}

interface SendingProps {
  readonly label: string;
  readonly done: number;
  readonly total: number;
}

function Sending({ label, done, total }: SendingProps) {
  return (
    <div aria-live="polite" className="flex flex-col gap-1.5 text-[13px] text-soft tabular-nums">
      <progress aria-label={label} value={done} max={total} className="h-1.5 w-full accent-accent" />
      {label} {done.toLocaleString()} of {total.toLocaleString()}
    </div>
  );
}

interface RejectedProps {
  readonly file: ParsedFile;
  readonly name: string;
  readonly faults: readonly Fault[];
}

/** The first rejected lines, and all of them as a file to mend. */
function Rejected({ file, name, faults }: RejectedProps) {
  if (faults.length === 0) return null;
  const save = (): void =>
    saveFile(
      new Blob([writeRejected(file, faults)], { type: 'text/csv' }),
      `${name.replace(/\.[^.]*$/, '')}-rejected.csv`,
    );
  return (
    <div className="rounded-md bg-warn-wash px-3 py-2 text-[13px] text-warn">
      <p className="font-medium">
        {faults.length === 1 ? '1 line rejected' : `${faults.length.toLocaleString()} lines rejected`}
      </p>
      <ul>
        {faults.slice(0, FAULTS_SHOWN).map(({ line, reason }) => (
          <li key={line} className="break-words">
            Line {line}: {reason}
          </li>
        ))}
        {faults.length > FAULTS_SHOWN && (
          <li>{(faults.length - FAULTS_SHOWN).toLocaleString()} more in the file</li>
        )}
      </ul>
      <Button isSmall className="mt-2" icon={<Download aria-hidden className="size-3.5" />} onClick={save}>
        Download rejected rows
      </Button>
    </div>
  );
}

interface ImportResult {
  readonly created: number;
  readonly existing: number;
  readonly faults: readonly Fault[];
}

/** One request each; the API takes more, and a smaller part shows progress sooner. */
const PART = 1_000;

interface ImportOptions {
  /** Whether burn addresses are meant. */
  readonly allowBurn: boolean;
  /** Called with the number that was sent so far. */
  readonly onSent: (count: number) => void;
}

/** Sends entries part by part, a family at a time. @throws ApiError */
async function importEntries(
  entries: readonly ReadyEntry[],
  { allowBurn, onSent }: ImportOptions,
): Promise<ImportResult> {
  const faults: Fault[] = [];
  let [created, existing, sent] = [0, 0, 0];
  onSent(0);
  for (const part of splitByFamily(entries)) {
    const { items } = await bodyOf(
      api.POST('/addresses/external/batch', {
        body: {
          chain_family: part[0]!.family,
          addresses: part.map(({ value, label, groups, metadata, chain_gids }) => ({
            ...{ value, label, groups, metadata, chain_gids },
            allow_burn: allowBurn,
          })),
        },
      }),
    );
    for (const [index, item] of items.entries()) {
      if (item.status === 'created') created += 1;
      else if (item.status === 'exists') existing += 1;
      else faults.push({ line: part[index]!.line, reason: reasonOf(item.problem) });
    }
    onSent((sent += part.length));
  }
  return { created, existing, faults };
}

interface ItemProblem {
  readonly detail?: string;
  readonly title?: string;
  readonly fields?: readonly { readonly reason: string }[];
}

function reasonOf({ fields, detail, title }: ItemProblem): string {
  return fields?.[0]?.reason ?? detail ?? title ?? 'the address was rejected';
}

function splitByFamily(entries: readonly ReadyEntry[]): ReadyEntry[][] {
  const families = Map.groupBy(entries, ({ family }) => family);
  return [...families.values()].flatMap((group) =>
    Array.from({ length: Math.ceil(group.length / PART) }, (_, index) =>
      group.slice(index * PART, (index + 1) * PART),
    ),
  );
}
