/** How a column of many values is cut into counted steps (migration list_figures). */
export interface Scale<V> {
  readonly list: 'transactions.hour' | 'transactions.block' | 'transactions.amount' | 'blocks.number';
  /** An index of the table gives the rows of a scope by this column. */
  readonly table: 'transactions' | 'blocks';
  readonly column: string;
  /** Of the rows that are counted, where not all are. */
  readonly where?: string;
  stepOf(value: V): number;
  /** The first value of a step, and the first one behind it. */
  startOf(step: number): V;
  endOf(step: number): V;
}

const HOUR_MS = 3_600_000;

export const hours: Scale<Date> = {
  list: 'transactions.hour',
  table: 'transactions',
  column: 'detected_at',
  stepOf: (time) => Math.floor(time.getTime() / HOUR_MS),
  startOf: (step) => new Date(step * HOUR_MS),
  endOf: (step) => new Date((step + 1) * HOUR_MS),
};

const numbers = {
  stepOf: (number: number) => Math.floor(number / 1024),
  startOf: (step: number) => step * 1024,
  endOf: (step: number) => (step + 1) * 1024,
};

export const transactionBlocks: Scale<number> = { ...numbers, list: 'transactions.block', table: 'transactions', column: 'block_position' };
export const blockNumbers: Scale<number> = { ...numbers, list: 'blocks.number', table: 'blocks', column: 'number', where: "status <> 'skipped'" };

/** Of positive decimals without an exponent: three digits of each power of ten, as amount_bucket() does in the database. */
export const amounts: Scale<string> = {
  list: 'transactions.amount',
  table: 'transactions',
  column: 'amount_max',
  stepOf(amount) {
    const [whole = '', fraction = ''] = amount.split('.');
    const integer = whole.replace(/^0+/, '');
    const digits = (integer + fraction).replace(/^0+/, '');
    const exponent = integer !== '' ? integer.length - 1 : -1 - (fraction.length - fraction.replace(/^0+/, '').length);
    return (300 + exponent) * 1_000 + Number(`${digits}00`.slice(0, 3));
  },
  startOf: (step) => `${step % 1_000}e${Math.floor(step / 1_000) - 302}`,
  endOf: (step) => `${(step % 1_000) + 1}e${Math.floor(step / 1_000) - 302}`,
};
