// SPDX-License-Identifier: Apache-2.0
import { useMutation } from '@tanstack/react-query';
import { Play } from 'lucide-react';
import { useState } from 'react';
import { callBeside } from '../../api/beside.ts';
import type { Network } from '../../api/gateway-queries.ts';
import { Button } from '../../ui/button.tsx';
import { Select, TextField } from '../../ui/field.tsx';
import { Problem } from '../../ui/notice.tsx';
import { Panel } from '../../ui/panel.tsx';
import { Message } from '../deliveries/message.tsx';

interface TryCallProps {
  readonly rpcUrl: string;
  readonly networks: readonly Network[];
}

/** A call from this page to the gateway; the key stays in its memory. */
export function TryCall({ rpcUrl, networks }: TryCallProps) {
  const served = networks.filter(({ status }) => status !== 'not_configured');
  const [chosen, setChosen] = useState<string>();
  const gid = chosen ?? served[0]?.chain_gid ?? '';
  const [key, setKey] = useState('');
  const [method, setMethod] = useState('');
  const [params, setParams] = useState('[]');
  const parsed = readParams(params);
  const calling = useMutation({
    mutationFn: async () => {
      const startedAt = performance.now();
      const answer = await callBeside(`${rpcUrl.replace(/\/$/, '')}/${gid}`, {
        headers: { 'X-Api-Key': key.trim() },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: method.trim(), params: parsed }),
      });
      return { ...answer, tookMs: performance.now() - startedAt };
    },
  });
  return (
    <Panel title="Try a call">
      <form
        className="flex flex-col gap-3"
        onSubmit={(event) => {
          event.preventDefault();
          calling.mutate();
        }}
      >
        <Select label="Network" value={gid} onChange={(event) => setChosen(event.target.value)}>
          {served.map(({ chain_gid, display_name }) => (
            <option key={chain_gid} value={chain_gid}>
              {display_name}
            </option>
          ))}
        </Select>
        <TextField
          label="RPC key"
          hint="Kept in this page until you leave it."
          type="password"
          required
          placeholder="svc_rpc_…"
          className="font-mono"
          value={key}
          onChange={(event) => setKey(event.target.value)}
        />
        <TextField
          label="Method"
          required
          placeholder="eth_blockNumber"
          className="font-mono"
          value={method}
          onChange={(event) => setMethod(event.target.value)}
        />
        <TextField
          label="Parameters"
          className="font-mono"
          value={params}
          onChange={(event) => setParams(event.target.value)}
          error={parsed === undefined ? 'expected JSON: an array or an object' : undefined}
        />
        <Button
          type="submit"
          look="primary"
          className="self-start"
          disabled={parsed === undefined || gid === ''}
          isBusy={calling.isPending}
          icon={<Play aria-hidden className="size-4" />}
        >
          Call
        </Button>
        {calling.error && <Problem error={calling.error} />}
        {calling.data && <Answer {...calling.data} />}
      </form>
    </Panel>
  );
}

interface AnswerProps {
  readonly status: number;
  readonly text: string;
  readonly tookMs: number;
}

function Answer({ status, text, tookMs }: AnswerProps) {
  const line = `Status ${status}, ${Math.round(tookMs).toLocaleString()} ms`;
  return <Message title="Answer" line={line} headers={undefined} body={text} />;
}

function readParams(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}
