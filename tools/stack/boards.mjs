// SPDX-License-Identifier: Apache-2.0
/**
 * A panel: its title, its unit, and a query by legend. `{{label}}` in a legend is the label's value; a legend that begins
 * with `p` is a quantile of the histogram that the query names.
 *
 * @typedef {readonly [title: string, unit: string, queries: Readonly<Record<string, string>>, type?: 'stat']} Panel
 * @typedef {object} Board
 * @property {string} name of the file, and behind `chainwatch-` of the board
 * @property {string} title
 * @property {readonly Panel[]} panels
 * @property {Readonly<Record<string, string>>} [variables] queries by name
 */

const RATE = '5m';
/** @param {string} metric @param {string} [by] */
const rate = (metric, by = '') => `sum ${by === '' ? '' : `by (${by}) `}(rate(${metric}[${RATE}]))`;
/** What is not counted before it happened once is 0. @param {string} query */
const orNone = (query) => `${query} or vector(0)`;
/** @param {string} histogram its name, with a selector @param {string} [by] */
function quantiles(histogram, by = '') {
  const [name, selector = ''] = histogram.split(/(?=\{)/);
  const labels = by === '' ? 'le' : `le, ${by}`;
  return Object.fromEntries(
    [0.5, 0.95, 0.99].map((quantile) => [
      `p${quantile * 100}${by === '' ? '' : ` {{${by}}}`}`,
      `histogram_quantile(${quantile}, sum by (${labels}) (rate(${name}_bucket${selector}[${RATE}])))`,
    ]),
  );
}
/** Of a process, with the name of its service. @param {string} query */
const ofService = (query) => `${query} * on (instance) group_left (service) chainwatch_build_info`;

const CHAIN = '{chain_gid="$chain"}';

/** @type {readonly Board[]} */
export const BOARDS = [
  {
    name: 'overview',
    title: 'chainwatch: overview',
    panels: [
      ['Active chains', 'short', { chains: 'sum(max by (family) (chainwatch_active_chains))' }, 'stat'],
      [
        'Chains that stand still',
        'short',
        { chains: orNone('count(max by (chain_gid) (chainwatch_chain_stalled_status) == 1)') },
        'stat',
      ],
      [
        'Oldest event that waits',
        's',
        { age: 'max(chainwatch_backlog_age_seconds{stage=~"outbox|positions|dispatch|deliveries_due"})' },
        'stat',
      ],
      ['Channels that fail', 'short', { channels: 'sum(chainwatch_channels{status!="active"})' }, 'stat'],
      ['Alerts', 'short', { '{{alertname}}': orNone('sum by (alertname) (ALERTS{alertstate="firing"})') }],
      [
        'Objectives: missed so many times as often as they may be, in an hour',
        'short',
        { '{{objective}}': orNone('chainwatch:objective_burn:rate1h') },
      ],
      [
        'Age of the newest block',
        's',
        { '{{chain_gid}}': 'min by (chain_gid) (chainwatch_chain_head_age_seconds)' },
      ],
      ['From block to event', 's', quantiles('chainwatch_event_made_seconds')],
      ['From event to first attempt', 's', quantiles('chainwatch_event_attempt_seconds')],
      ['From event to delivered', 's', quantiles('chainwatch_event_delivered_seconds')],
      ['Blocks behind', 'short', { '{{chain_gid}}': 'max by (chain_gid) (chainwatch_analyzer_lag_blocks)' }],
      [
        'Transaction events',
        'ops',
        { '{{chain_gid}}': rate('chainwatch_transaction_events_total', 'chain_gid') },
      ],
      [
        'Attempts to deliver',
        'ops',
        { '{{outcome}}': rate('chainwatch_delivery_attempts_total', 'outcome') },
      ],
      ['API requests', 'ops', { '{{status}}': rate('chainwatch_http_request_seconds_count', 'status') }],
      ['RPC calls', 'ops', { '{{chain_gid}}': rate('chainwatch_rpc_requests_total', 'chain_gid') }],
      ['Memory', 'bytes', { '{{service}} {{instance}}': ofService('process_resident_memory_bytes') }],
      [
        'CPU',
        'percentunit',
        { '{{service}} {{instance}}': ofService(`rate(process_cpu_seconds_total[${RATE}])`) },
      ],
      [
        'Event loop, p99 lag',
        's',
        { '{{service}} {{instance}}': ofService('nodejs_eventloop_lag_p99_seconds') },
      ],
      [
        'Replicas by version',
        'short',
        {
          '{{service}} {{version}} {{commit}}': 'count by (service, version, commit) (chainwatch_build_info)',
        },
      ],
    ],
  },
  {
    name: 'chain',
    title: 'chainwatch: chain',
    variables: { chain: 'label_values(chainwatch_chain_stalled_status, chain_gid)' },
    panels: [
      ['Stands still', 'short', { status: `max(chainwatch_chain_stalled_status${CHAIN})` }, 'stat'],
      [
        'Unknown kinds of content',
        'short',
        { incidents: orNone(`max(chainwatch_chain_incidents_open${CHAIN})`) },
        'stat',
      ],
      [
        'Reorgs below finality',
        'short',
        { reorgs: orNone(`sum(chainwatch_finality_violations_total${CHAIN})`) },
        'stat',
      ],
      [
        'Nodes that serve the RPC gateway',
        'short',
        { nodes: `sum(max by (upstream, interface) (chainwatch_rpc_upstream_serving${CHAIN}))` },
        'stat',
      ],
      [
        'Head and finality',
        'short',
        {
          head: `max(chainwatch_ingestor_head_number${CHAIN})`,
          final: orNone(`max(chainwatch_ingestor_finalized_number${CHAIN})`),
        },
      ],
      [
        'Since the last block, and its age',
        's',
        {
          pause: `min(chainwatch_chain_head_pause_seconds${CHAIN})`,
          age: `min(chainwatch_chain_head_age_seconds${CHAIN})`,
          'time between blocks': orNone(`max(chainwatch_chain_block_time_seconds${CHAIN})`),
        },
      ],
      ['Blocks behind', 'short', { blocks: `max(chainwatch_analyzer_lag_blocks${CHAIN})` }],
      ['Oldest block that is not analysed', 's', { age: `max(chainwatch_analyzer_lag_seconds${CHAIN})` }],
      ['Blocks analysed', 'ops', { blocks: rate(`chainwatch_blocks_total${CHAIN}`) }],
      ['A step of the analyzer', 's', quantiles(`chainwatch_analyzer_step_seconds${CHAIN}`)],
      ['From block to event', 's', quantiles(`chainwatch_event_made_seconds${CHAIN}`)],
      ['Transaction events', 'ops', { events: rate(`chainwatch_transaction_events_total${CHAIN}`) }],
      [
        'Transactions that are not confirmed',
        'short',
        { transactions: orNone(`max(chainwatch_pending_transactions${CHAIN})`) },
      ],
      ['Balances read', 'ops', { balances: rate(`chainwatch_balance_readings_total${CHAIN}`) }],
      [
        'Reorgs in an hour',
        'short',
        { reorgs: orNone(`sum(increase(chainwatch_reorgs_total${CHAIN}[1h]))`) },
      ],
      [
        'Depth of reorgs, on average',
        'short',
        {
          blocks: orNone(
            `sum(increase(chainwatch_reorg_depth_blocks_sum${CHAIN}[1h])) / sum(increase(chainwatch_reorg_depth_blocks_count${CHAIN}[1h]))`,
          ),
        },
      ],
      [
        'Blocks read for history',
        'ops',
        {
          blocks: orNone(rate(`chainwatch_history_blocks_total${CHAIN}`)),
          transactions: orNone(rate(`chainwatch_history_transactions_total${CHAIN}`)),
        },
      ],
      [
        'Watched addresses, by family',
        'short',
        { '{{family}}': 'max by (family) (chainwatch_watched_addresses)' },
      ],
    ],
  },
  {
    name: 'deliveries',
    title: 'chainwatch: deliveries',
    panels: [
      ['From event to first attempt', 's', quantiles('chainwatch_event_attempt_seconds')],
      ['From event to delivered', 's', quantiles('chainwatch_event_delivered_seconds')],
      ['Attempts', 'ops', { '{{outcome}}': rate('chainwatch_delivery_attempts_total', 'outcome') }],
      ['An attempt', 's', quantiles('chainwatch_delivery_attempt_seconds')],
      ['What waits', 'short', { '{{stage}}': 'max by (stage) (chainwatch_backlog_rows)' }],
      ['Since when', 's', { '{{stage}}': 'max by (stage) (chainwatch_backlog_age_seconds)' }],
      ['In memory of the notifiers', 'short', { '{{state}}': 'sum by (state) (chainwatch_delivery_jobs)' }],
      ['Oldest in memory', 's', { '{{instance}}': 'chainwatch_delivery_queue_age_seconds' }],
      ['Channels', 'short', { '{{status}}': 'max by (status) (chainwatch_channels)' }],
      [
        'Shares of channels by notifier',
        'short',
        { '{{instance}}': 'chainwatch_owned_shares{kind="channels"}' },
      ],
      ['Open streams of events', 'short', { streams: orNone('sum(chainwatch_event_streams)') }],
      [
        'Rows past their retention that were removed',
        'ops',
        { '{{kind}}': orNone(rate('chainwatch_retention_removed_total', 'kind')) },
      ],
      [
        'Since the last pass of the retention',
        's',
        { '{{kind}}': 'time() - max by (kind) (chainwatch_retention_finished_timestamp_seconds)' },
      ],
    ],
  },
  {
    name: 'gateway',
    title: 'chainwatch: gateways',
    panels: [
      ['API requests', 'ops', { '{{status}}': rate('chainwatch_http_request_seconds_count', 'status') }],
      ['An API request', 's', quantiles('chainwatch_http_request_seconds')],
      [
        'An API request, mean by route',
        's',
        {
          '{{method}} {{route}}': `${rate('chainwatch_http_route_seconds_total', 'method, route')} / ${rate('chainwatch_http_requests_total', 'method, route')}`,
        },
      ],
      [
        'API requests that end with 5xx, by route',
        'ops',
        {
          '{{method}} {{route}}': orNone(
            rate('chainwatch_http_requests_total{status="5xx"}', 'method, route'),
          ),
        },
      ],
      [
        'API requests that end with 5xx',
        'percentunit',
        {
          share: `${orNone(`(${rate('chainwatch_http_request_seconds_count{status=~"5.."}')}`)}) / ${rate('chainwatch_http_request_seconds_count')}`,
        },
      ],
      ['RPC calls', 'ops', { '{{chain_gid}}': rate('chainwatch_rpc_requests_total', 'chain_gid') }],
      ['An RPC request', 's', quantiles('chainwatch_rpc_request_seconds')],
      [
        'An RPC request, p99 by chain',
        's',
        {
          '{{chain_gid}}': `histogram_quantile(0.99, sum by (le, chain_gid) (rate(chainwatch_rpc_request_seconds_bucket[${RATE}])))`,
        },
      ],
      [
        'RPC calls that fail',
        'ops',
        { '{{chain_gid}}': orNone(rate('chainwatch_rpc_failures_total', 'chain_gid')) },
      ],
      [
        'RPC calls answered without a node',
        'percentunit',
        {
          '{{chain_gid}}': orNone(
            `${rate('chainwatch_rpc_cached_total', 'chain_gid')} / ${rate('chainwatch_rpc_requests_total', 'chain_gid')}`,
          ),
        },
      ],
      ['RPC answers by status', 'ops', { '{{status}}': rate('chainwatch_rpc_answers_total', 'status') }],
      ['RPC answers', 'Bps', { '{{chain_gid}}': rate('chainwatch_rpc_sent_bytes_total', 'chain_gid') }],
      [
        'Requests to nodes',
        'ops',
        { '{{outcome}}': rate('chainwatch_rpc_upstream_requests_total', 'outcome') },
      ],
      [
        'Nodes that serve',
        'short',
        {
          '{{chain_gid}} {{upstream}} {{interface}}':
            'max by (chain_gid, upstream, interface) (chainwatch_rpc_upstream_serving)',
        },
      ],
      [
        'Heads of nodes',
        'short',
        {
          '{{chain_gid}} {{upstream}}': 'max by (chain_gid, upstream) (chainwatch_rpc_upstream_head_number)',
        },
      ],
      [
        'Requests under way at nodes',
        'short',
        {
          '{{chain_gid}} {{upstream}}':
            'sum by (chain_gid, upstream) (chainwatch_rpc_upstream_inflight_requests)',
        },
      ],
      ['Memory held for RPC clients', 'bytes', { '{{of}}': 'max by (of) (chainwatch_rpc_held_bytes)' }],
      ['RPC connections', 'short', { '{{instance}}': 'chainwatch_rpc_client_connections' }],
      [
        'RPC clients refused or cut',
        'ops',
        {
          refused: orNone(rate('chainwatch_rpc_full_total')),
          cut: orNone(rate('chainwatch_rpc_cut_connections_total')),
        },
      ],
      ['Redis is there', 'short', { '{{service}} {{instance}}': ofService('chainwatch_redis_connected') }],
      ['A command of Redis', 's', quantiles('chainwatch_redis_command_seconds')],
      [
        'Commands that Redis did not answer',
        'ops',
        { failures: orNone(rate('chainwatch_redis_failures_total')) },
      ],
    ],
  },
  {
    name: 'database',
    title: 'chainwatch: database and NATS',
    panels: [
      [
        'Sessions',
        'short',
        { '{{service}} {{pool}} {{instance}}': ofService('chainwatch_database_connections') },
      ],
      [
        'Sessions, of those that are allowed',
        'percentunit',
        {
          '{{service}} {{pool}} {{instance}}': ofService(
            'chainwatch_database_connections / chainwatch_database_connections_max',
          ),
        },
      ],
      [
        'Statements that wait for a session',
        'short',
        { '{{service}} {{pool}} {{instance}}': ofService('chainwatch_database_waiting_requests') },
      ],
      [
        'Statements',
        'ops',
        {
          '{{service}}': `sum by (service) (${ofService(`rate(chainwatch_database_statement_seconds_count[${RATE}])`)})`,
        },
      ],
      ['A statement', 's', quantiles('chainwatch_database_statement_seconds')],
      [
        'A statement, p99 by service',
        's',
        {
          '{{service}}': `histogram_quantile(0.99, sum by (le, service) (${ofService(`rate(chainwatch_database_statement_seconds_bucket[${RATE}])`)}))`,
        },
      ],
      ['What waits', 'short', { '{{stage}}': 'max by (stage) (chainwatch_backlog_rows)' }],
      ['Since when', 's', { '{{stage}}': 'max by (stage) (chainwatch_backlog_age_seconds)' }],
      [
        'Shares without an owner',
        'short',
        { '{{kind}}': 'max by (kind) (chainwatch_shares) - sum by (kind) (chainwatch_owned_shares)' },
      ],
      ['Shares by process', 'short', { '{{kind}} {{instance}}': 'chainwatch_owned_shares' }],
      ['NATS is there', 'short', { '{{service}} {{instance}}': ofService('chainwatch_nats_connected') }],
      ['Round trip to NATS', 's', { '{{service}} {{instance}}': ofService('chainwatch_nats_rtt_seconds') }],
      ['A message until it is stored', 's', quantiles('chainwatch_nats_publish_seconds')],
      [
        'Connections to NATS that came back, in an hour',
        'short',
        { reconnects: orNone('sum(increase(chainwatch_nats_reconnects_total[1h]))') },
      ],
    ],
  },
];
