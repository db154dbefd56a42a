// SPDX-License-Identifier: Apache-2.0
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { addressCheckQuery, type CheckedAddress } from '../../api/address-check.ts';
import { api, bodyOf } from '../../api/client.ts';
import { Checkbox, reasonFor, TextField } from '../../ui/field.tsx';
import { FormModal } from '../../ui/form-modal.tsx';
import { FamilySelect } from './family-select.tsx';
import { tellMonitored } from './monitoring.tsx';
import { toTitle, type Family } from './families.ts';

/** So long nobody types before what was typed is checked. */
const TYPING_MS = 250;

/** The address was checked, and cannot be added as it stands. */
class CheckError extends Error {}

export function AddDialog({ onClose }: { readonly onClose: () => void }) {
  const [value, setValue] = useState('');
  const [label, setLabel] = useState('');
  const [family, setFamily] = useState<Family>();
  const [isOnPurpose, setOnPurpose] = useState(false);
  const { checked, isSettled, settle } = useCheck(value, family);
  const adding = useAdding({ value: value.trim(), label: label.trim(), family, isOnPurpose, settle });
  const refused = reasonFor(adding.error, 'value');
  const faults = findFaults(isSettled ? checked : undefined, isOnPurpose);
  const placed = adding.error instanceof CheckError ? adding.error.message : undefined;
  return (
    <FormModal
      title="Add an address"
      description="Monitoring starts as soon as you add it."
      onClose={onClose}
      action="Add address"
      sending={adding}
      reasons={[refused, placed]}
    >
      <TextField
        label="Address"
        required
        autoFocus
        className="font-mono"
        value={value}
        onChange={(event) => {
          setValue(event.target.value);
          setOnPurpose(false);
          adding.reset();
        }}
        onPaste={settle}
        onBlur={settle}
        error={refused ?? faults.value}
      />
      {checked?.status === 'burn' && (
        <Checkbox
          label="This is on purpose"
          hint="A burn address is shared by everyone. Each mint and burn of a token becomes an event."
          checked={isOnPurpose}
          onChange={({ target }) => setOnPurpose(target.checked)}
        />
      )}
      <FamilySelect
        label="Family"
        hint={
          family === undefined && checked?.chain_family
            ? `Detected: ${toTitle(checked.chain_family)}`
            : undefined
        }
        error={reasonFor(adding.error, 'chain_family') ?? faults.family}
        family={family}
        onChange={(chosen) => {
          setFamily(chosen);
          adding.reset();
        }}
      />
      <TextField
        label="Label"
        hint="Optional. Shown instead of the address."
        maxLength={255}
        value={label}
        error={reasonFor(adding.error, 'label')}
        onChange={(event) => setLabel(event.target.value)}
      />
    </FormModal>
  );
}

interface Adding {
  readonly value: string;
  readonly label: string;
  readonly family: Family | undefined;
  readonly isOnPurpose: boolean;
  readonly settle: () => void;
}

/** Checks the address first: its family may not be known yet. */
function useAdding({ value, label, family, isOnPurpose, settle }: Adding) {
  const client = useQueryClient();
  const navigate = useNavigate();
  return useMutation({
    mutationFn: async () => {
      settle();
      const { status, chain_family, problem } = await client.fetchQuery(addressCheckQuery(value, family));
      const isRefused = status === 'burn' ? !isOnPurpose : status !== 'new';
      if (chain_family === null || isRefused) throw new CheckError(problem ?? EXISTS);
      const body = { value, chain_family, label: label || undefined, allow_burn: isOnPurpose };
      return bodyOf(api.POST('/addresses/external', { body }));
    },
    onSuccess: async ({ address, warnings }) => {
      tellMonitored('Address added', { warnings });
      await client.invalidateQueries({ queryKey: ['addresses'] });
      await client.invalidateQueries({ queryKey: ['address-check'] });
      await navigate({ to: '/addresses/$address', params: { address } });
    },
  });
}

const EXISTS = 'This project already has the address.';

/** What the API says of the address while it is written. Faults are shown once the field was left, or pasted into. */
function useCheck(value: string, family: Family | undefined) {
  const typed = value.trim();
  const [text, setText] = useState('');
  const [isSettled, setSettled] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setText(typed), TYPING_MS);
    return () => clearTimeout(timer);
  }, [typed]);
  const { data } = useQuery(addressCheckQuery(text, family));
  return {
    checked: text === typed ? data : undefined,
    isSettled,
    settle: (): void => setSettled(true),
  };
}

/** Beside the field that mends it. */
function findFaults(
  checked: CheckedAddress | undefined,
  isOnPurpose: boolean,
): { readonly value?: string; readonly family?: string } {
  switch (checked?.status) {
    case 'exists':
      return { value: EXISTS };
    case 'burn':
      return isOnPurpose ? {} : { value: 'This is a burn address. Confirm below that you mean it.' };
    case 'ambiguous':
      return { family: 'Several families read this address. Choose one.' };
    case 'invalid':
      return { value: checked.problem ?? undefined };
    default:
      return {};
  }
}
