// SPDX-License-Identifier: Apache-2.0
/**
 * What operators may promise, and how fast it is missed: recording rules for alerts on burn rates over several windows
 * (Google's SRE workbook, Alerting on SLOs).
 *
 * @typedef {object} Objective
 * @property {string} name the label `objective`
 * @property {number} budget the share of all that may be bad
 * @property {string} all a counter of all, by its name and selector
 * @property {string} [bad] a counter of what was bad; `good` otherwise
 * @property {string} [good]
 */

// Prometheus 3 writes 5.0 where earlier ones keep 5.
const IN_TIME = 'le=~"5|5.0"';

/** @type {readonly Objective[]} */
export const OBJECTIVES = [
  {
    name: 'events',
    budget: 0.01,
    all: 'chainwatch_event_made_seconds_count',
    good: `chainwatch_event_made_seconds_bucket{${IN_TIME}}`,
  },
  {
    name: 'deliveries',
    budget: 0.01,
    all: 'chainwatch_event_delivered_seconds_count',
    good: `chainwatch_event_delivered_seconds_bucket{${IN_TIME}}`,
  },
  {
    name: 'rpc',
    budget: 0.001,
    all: 'chainwatch_rpc_answers_total{status=~"2xx|5xx"}',
    bad: 'chainwatch_rpc_answers_total{status="5xx"}',
  },
];

const WINDOWS = ['5m', '30m', '1h', '6h', '3d'];

/**
 * 1: the budget is spent just as fast as it may be. One is added to what may be bad, so that a single bad one burns nothing where
 * there are few.
 *
 * @param {Objective} objective @param {string} window @param {string} label that tells installations apart
 */
function burnRate({ budget, all, bad, good }, window, label) {
  const sum = (/** @type {string} */ counter) => `sum by (${label}) (increase(${counter}[${window}]))`;
  const missed = bad === undefined ? `(${sum(all)} - ${sum(String(good))})` : sum(bad);
  return `${missed} / (${budget} * ${sum(all)} + 1)`;
}

/** Lines of rules.yaml. @param {string} label */
export function renderObjectives(label) {
  return OBJECTIVES.flatMap((objective) =>
    WINDOWS.map(
      (window) => `      - record: chainwatch:objective_burn:rate${window}
        expr: ${burnRate(objective, window, label)}
        labels: { objective: ${objective.name} }`,
    ),
  ).join('\n');
}
