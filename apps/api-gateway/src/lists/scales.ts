/** How a column of many values is cut into counted steps (migrations list_figures and list_levels). */
export interface Scale<V> {
  readonly list:
    | 'transactions.hour'
    | 'transactions.block'
    | 'transactions.amount'
    | 'blocks.number'
    | 'deliveries.hour'
    | 'events.hour'
    | 'usage.hour'
    | 'audit_logs.hour';
  /** An index of the table gives the rows of an owner by this column. */
  readonly table: 'transactions' | 'blocks' | 'deliveries' | 'events' | 'rpc_usage' | 'audit_logs';
  /** Absent where the rows belong to nobody. */
  readonly owner?: 'project_id' | 'channel_id' | 'workspace_id';
  readonly column: string;
  /** Of the columns that the key of the list begins with. */
  readonly keys: readonly string[];
  /** Of the rows that are counted, where not all are. */
  readonly where?: string;
  stepOf(value: V): number;
  /** Whether it is the first value of its step. */
  isStart(value: V): boolean;
  /** The first value of a step, and the first one behind it. */
  startOf(step: number): V;
  endOf(step: number): V;
}

const HOUR_MS = 3_600_000;

const hourly = {
  stepOf: (time: Date) => Math.floor(time.getTime() / HOUR_MS),
  isStart: (time: Date) => time.getTime() % HOUR_MS === 0,
  startOf: (step: number) => new Date(step * HOUR_MS),
  endOf: (step: number) => new Date((step + 1) * HOUR_MS),
};

export const transactionHours: Scale<Date> = {
  ...hourly,
  list: 'transactions.hour',
  table: 'transactions',
  owner: 'project_id',
  column: 'detected_at',
  keys: [],
};
export const deliveryHours: Scale<Date> = {
  ...hourly,
  list: 'deliveries.hour',
  table: 'deliveries',
  owner: 'channel_id',
  column: 'created_at',
  keys: ['event_type'],
};
export const eventHours: Scale<Date> = {
  ...hourly,
  list: 'events.hour',
  table: 'events',
  owner: 'project_id',
  column: 'created_at',
  keys: ['type', 'chain_gid'],
  where: "NOT is_held AND subject_kind <> 'test'",
};
export const usageHours: Scale<Date> = {
  ...hourly,
  list: 'usage.hour',
  table: 'rpc_usage',
  owner: 'workspace_id',
  column: 'hour',
  keys: [],
};
export const auditLogHours: Scale<Date> = {
  ...hourly,
  list: 'audit_logs.hour',
  table: 'audit_logs',
  owner: 'workspace_id',
  column: 'created_at',
  keys: [],
};

const numbers = {
  stepOf: (number: number) => Math.floor(number / 1024),
  isStart: (number: number) => number % 1024 === 0,
  startOf: (step: number) => step * 1024,
  endOf: (step: number) => (step + 1) * 1024,
};

export const transactionBlocks: Scale<number> = {
  ...numbers,
  list: 'transactions.block',
  table: 'transactions',
  owner: 'project_id',
  column: 'block_position',
  keys: ['chain_gid'],
};
export const blockNumbers: Scale<number> = {
  ...numbers,
  list: 'blocks.number',
  table: 'blocks',
  column: 'number',
  keys: ['chain_gid'],
  where: "status <> 'skipped'",
};

/** Of positive decimals without an exponent: three digits of each power of ten, as amount_bucket() does in the database. */
export const amounts: Scale<string> = {
  list: 'transactions.amount',
  table: 'transactions',
  owner: 'project_id',
  column: 'amount_max',
  keys: [],
  stepOf(amount) {
    const [whole = '', fraction = ''] = amount.split('.');
    const integer = whole.replace(/^0+/, '');
    const digits = digitsOf(amount);
    const exponent =
      integer !== '' ? integer.length - 1 : -1 - (fraction.length - fraction.replace(/^0+/, '').length);
    return (300 + exponent) * 1_000 + Number(`${digits}00`.slice(0, 3));
  },
  isStart: (amount) => /^.{0,3}0*$/.test(digitsOf(amount)),
  startOf: (step) => `${step % 1_000}e${Math.floor(step / 1_000) - 302}`,
  endOf: (step) => `${(step % 1_000) + 1}e${Math.floor(step / 1_000) - 302}`,
};

/** Without leading zeros. */
function digitsOf(amount: string): string {
  return amount.replace('.', '').replace(/^0+/, '');
}
