// SPDX-License-Identifier: Apache-2.0
import { computed, defineComponent, h, reactive } from 'vue';
import { BLOCK_SECONDS, EXAMPLES, growthOf, sayBytes } from './growth.mjs';

/** @type {readonly (readonly [name: 'addresses' | 'deposits' | 'assets' | 'channels' | 'proved' | 'days', label: string])[]} */
const NUMBERS = [
  ['addresses', 'Addresses added in a year'],
  ['deposits', 'Deposits a second, on average'],
  ['assets', 'Assets that an address holds'],
  ['channels', 'Channels that each event goes to'],
  ['proved', 'Of these, with inline proofs'],
  ['days', 'Days that events and deliveries are kept'],
];
/** @type {readonly (readonly [name: 'transactions' | 'addresses' | 'blocks' | 'events' | 'deliveries', label: string])[]} */
const PARTS = [
  ['transactions', 'Transactions, balances, and ids of events'],
  ['addresses', 'Addresses'],
  ['blocks', 'Blocks'],
  ['events', 'Events'],
  ['deliveries', 'Deliveries'],
];

/** A form whose result follows what is typed. */
export const GrowthCalculator = defineComponent({
  setup() {
    const use = reactive({ ...EXAMPLES['A shop'], chains: [...EXAMPLES['A shop'].chains] });
    const growth = computed(() => growthOf(use));
    const number = (/** @type {typeof NUMBERS[number]} */ [name, label]) =>
      h('label', { class: 'growth-field' }, [
        h('span', label),
        h('input', {
          ...{ type: 'number', min: 0, step: 'any', value: use[name] },
          onInput: (/** @type {{ target: HTMLInputElement }} */ { target }) => {
            if (target.value !== '' && Number(target.value) >= 0) use[name] = Number(target.value);
          },
        }),
      ]);
    const chain = (/** @type {string} */ name) =>
      h('label', [
        h('input', {
          ...{ type: 'checkbox', checked: use.chains.includes(name) },
          onChange: () => {
            const rest = use.chains.filter((one) => one !== name);
            use.chains = rest.length < use.chains.length ? rest : [...rest, name];
          },
        }),
        ` ${name}`,
      ]);
    return () =>
      h('form', { class: 'growth', onSubmit: (/** @type {Event} */ event) => event.preventDefault() }, [
        ...NUMBERS.map(number),
        h('fieldset', [h('legend', 'Chains'), ...Object.keys(BLOCK_SECONDS).map(chain)]),
        h('output', { 'aria-live': 'polite' }, [
          h('p', [
            h('b', sayBytes(growth.value.total)),
            ' after a year, and ',
            h('b', sayBytes(growth.value.growth)),
            ' more in each further year.',
          ]),
          h(
            'ul',
            PARTS.map(([name, label]) => h('li', `${label}: ${sayBytes(growth.value[name])}`)),
          ),
        ]),
      ]);
  },
});
