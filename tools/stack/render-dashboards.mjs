// SPDX-License-Identifier: Apache-2.0
/** @typedef {import('./boards.mjs').Board} Board */

const COLUMNS = 24;
const DATASOURCE = { type: 'prometheus', uid: '${datasource}' };

/** A metric of the services, and the selector behind it. */
const SERIES = /\b((?:chainwatch|nodejs|process)[_:][\w:]+|ALERTS)\b(?:\{([^}]*)\})?/g;

/**
 * The query for the installation that the board's variable chooses. Without the label every series is of the one installation: the
 * variable is then empty, which selects just those.
 *
 * @param {string} query @param {string} label
 */
export function ofInstallation(query, label) {
  return query
    .replace(SERIES, (_all, metric, selector = '') => {
      const matchers = [`${label}="$installation"`, ...(selector === '' ? [] : [selector])];
      return `${metric}{${matchers.join(',')}}`;
    })
    .replaceAll('on (instance)', `on (${label}, instance)`);
}

/** @param {Board} board @param {string} label that tells installations apart @returns {object} as Grafana reads it */
export function renderDashboard({ name, title, panels, variables = {} }, label) {
  const allVariables = Object.entries({
    installation: `label_values(chainwatch_build_info, ${label})`,
    ...Object.fromEntries(
      Object.entries(variables).map(([variable, query]) => [variable, ofInstallation(query, label)]),
    ),
  });
  let [x, y] = [0, 0];
  const placed = panels.map(([panelTitle, unit, queries, type = 'timeseries'], index) => {
    const [w, h] = type === 'stat' ? [6, 4] : [12, 8];
    const gridPos = { h, w, x, y };
    x = (x + w) % COLUMNS;
    if (x === 0) y += h;
    return {
      id: index + 1,
      title: panelTitle,
      type,
      datasource: DATASOURCE,
      gridPos,
      fieldConfig: { defaults: { unit, min: 0 }, overrides: [] },
      targets: Object.entries(queries).map(([legendFormat, expr], at) => ({
        expr: ofInstallation(expr, label),
        legendFormat,
        refId: String.fromCharCode(65 + at),
      })),
    };
  });
  return {
    title,
    uid: `chainwatch-${name}`,
    tags: ['chainwatch'],
    schemaVersion: 39,
    refresh: '30s',
    time: { from: 'now-6h', to: 'now' },
    links: [
      { type: 'dashboards', tags: ['chainwatch'], title: 'chainwatch', asDropdown: true, keepTime: true },
    ],
    templating: {
      list: [
        { name: 'datasource', type: 'datasource', query: 'prometheus' },
        ...allVariables.map(([variable, query]) => ({
          name: variable,
          type: 'query',
          datasource: DATASOURCE,
          query: { query, refId: variable },
          refresh: 2,
        })),
      ],
    },
    panels: placed,
  };
}
