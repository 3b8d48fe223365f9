import { type Dashboard, quantiles, rates } from './dashboard.ts';

const waiting = '{route!~"/v2/events|/dashboard-api/.*"}';

/** Joins a metric by route with the upstreams of the routes. */
const byUpstream = (selector: string) =>
  `sum by (upstream) (rate(gateway_requests_total${selector}[$__rate_interval]) * on (route) group_left (upstream) max by (route, upstream) (gateway_route_info))`;

const edge: Dashboard = {
  uid: 'edge',
  title: 'edge',
  graphs: [
    {
      title: 'Requests by route',
      unit: 'reqps',
      description: 'Routes that are in use.',
      // Every route has counts from the start.
      lines: { 'sum by (route) (rate(gateway_requests_total[$__rate_interval])) > 0': '{{route}}' },
    },
    {
      title: 'Failed requests',
      unit: 'percentunit',
      description: '5xx. The objective is 0.0005 over 30 days.',
      lines: {
        'gateway:request_errors:ratio_rate5m': '5 minutes',
        'gateway:request_errors:ratio_rate1h': 'hour',
      },
    },
    {
      title: 'Duration',
      unit: 's',
      description: 'Without the routes on which clients wait for changes.',
      lines: quantiles('gateway_request_duration_seconds', '', waiting),
      exemplars: true,
    },
    { title: 'Requests by upstream', unit: 'reqps', lines: { [byUpstream('')]: '{{upstream}}' } },
    {
      title: '5xx by upstream',
      unit: 'reqps',
      lines: { [byUpstream('{status=~"5.."}')]: '{{upstream}}' },
    },
    {
      title: 'p99 by route',
      unit: 's',
      lines: quantiles('gateway_request_duration_seconds', 'route', waiting),
      exemplars: true,
    },
    { title: 'Refusals by reason', unit: 'reqps', lines: rates('gateway_refusals_total', 'reason') },
    { title: 'Authorizations by source', unit: 'reqps', lines: rates('gateway_answers_total', 'source') },
    { title: 'Authorize calls', unit: 's', lines: quantiles('gateway_authorize_call_seconds') },
    {
      title: 'Redis',
      unit: 'percentunit',
      description: 'Share of the time without it, by gateway.',
      lines: { 'rate(gateway_limiter_degraded_seconds_total[$__rate_interval])': '{{instance}}' },
    },
    { title: 'Probes of Redis', unit: 's', lines: quantiles('gateway_redis_probe_seconds') },
    {
      title: 'Upstreams',
      unit: 'short',
      description: 'Requests in flight, of 512 in each gateway, and those that wait.',
      lines: {
        'sum by (upstream) (gateway_upstream_requests)': '{{upstream}}',
        'sum by (upstream) (gateway_upstream_waiting)': '{{upstream}} waiting',
      },
    },
  ],
};

const identity: Dashboard = {
  uid: 'identity',
  title: 'identity',
  graphs: [
    {
      title: 'Pages and OAuth',
      unit: 'reqps',
      lines: rates('http_request_duration_seconds_count', 'route', '{service="identity-service"}'),
    },
    {
      title: '5xx of pages and OAuth',
      unit: 'reqps',
      description: 'Empty until the first one.',
      lines: rates(
        'http_request_duration_seconds_count',
        'route',
        '{service="identity-service",status=~"5.."}',
      ),
    },
    {
      title: 'Duration of pages and OAuth',
      unit: 's',
      lines: quantiles('http_request_duration_seconds', '', '{service="identity-service"}'),
    },
    {
      title: 'Authorize calls by outcome',
      unit: 'reqps',
      lines: rates('identity_authorize_duration_seconds_count', 'outcome'),
    },
    {
      title: 'Duration of Authorize calls',
      unit: 's',
      lines: quantiles('identity_authorize_duration_seconds'),
    },
    {
      title: 'Lookups of credentials, p99',
      unit: 's',
      lines: {
        'histogram_quantile(0.99, sum by (le) (rate(identity_lookup_wait_seconds_bucket[$__rate_interval])))':
          'wait',
        'histogram_quantile(0.99, sum by (le) (rate(identity_lookup_query_seconds_bucket[$__rate_interval])))':
          'query',
      },
    },
    {
      title: 'Revocations',
      unit: 's',
      description: 'Time until a credential generation is in Redis.',
      lines: {
        ...quantiles('identity_propagation_seconds', '', '{result="confirmed"}'),
        'max(identity_propagation_delay_seconds)': 'pending for',
      },
    },
    {
      title: 'Rpcs by status',
      unit: 'reqps',
      lines: rates('rpc_duration_seconds_count', 'code', '{service="identity-service"}'),
    },
    {
      title: 'p99 of rpcs',
      unit: 's',
      lines: quantiles('rpc_duration_seconds', 'method', '{service="identity-service"}'),
    },
    { title: 'Logins by outcome', unit: 'reqps', lines: rates('identity_logins_total', 'outcome') },
    {
      title: 'Emails and other background work',
      unit: 'ops',
      lines: {
        'sum by (work, outcome) (rate(identity_background_work_total[$__rate_interval]))':
          '{{work}} {{outcome}}',
      },
    },
    {
      title: 'Oldest event that is not in its feed',
      unit: 's',
      lines: { 'max(identity_outbox_oldest_seconds)': 'age' },
    },
  ],
};

const webhooks: Dashboard = {
  uid: 'webhooks',
  title: 'webhooks',
  graphs: [
    {
      title: 'Attempts by outcome',
      unit: 'reqps',
      lines: rates('webhook_attempt_duration_seconds_count', 'outcome'),
    },
    {
      title: 'Delivered',
      unit: 'percentunit',
      description: 'Empty while there are no attempts.',
      lines: {
        'sum(rate(webhook_attempt_duration_seconds_count{outcome="delivered"}[$__rate_interval])) / sum(rate(webhook_attempt_duration_seconds_count[$__rate_interval]))':
          'share of the attempts',
      },
    },
    { title: 'Duration of attempts', unit: 's', lines: quantiles('webhook_attempt_duration_seconds') },
    { title: 'Due deliveries', unit: 'short', lines: { 'max(webhook_due_deliveries)': 'due' } },
    {
      title: 'Backlog',
      unit: 's',
      description:
        'How long the oldest delivery has waited. With a receiver that is down the first grows and the second does not.',
      lines: {
        'max(webhook_oldest_due_seconds)': 'oldest',
        'max(webhook_delivery_lag_seconds)': 'that may be sent',
      },
    },
    {
      title: 'Endpoints by state',
      unit: 'short',
      lines: { 'max by (state) (webhook_endpoints)': '{{state}}' },
    },
    { title: 'Endpoints that are sent to', unit: 'short', lines: { webhook_turns: '{{instance}}' } },
    { title: 'Feeds with unread events', unit: 'short', lines: { webhook_feeds_behind: '{{instance}}' } },
    { title: 'Tables', unit: 'bytes', lines: { 'max by (table) (webhook_table_bytes)': '{{table}}' } },
  ],
};

const capacity: Dashboard = {
  uid: 'capacity',
  title: 'capacity',
  graphs: [
    {
      title: 'CPU',
      unit: 'percentunit',
      description: 'Of one core; the event loop has one.',
      lines: { 'rate(process_cpu_seconds_total[$__rate_interval])': '{{service}} {{instance}}' },
    },
    { title: 'Memory', unit: 'bytes', lines: { process_resident_memory_bytes: '{{service}} {{instance}}' } },
    {
      title: 'Event loop, p99',
      unit: 's',
      lines: { nodejs_eventloop_lag_p99_seconds: '{{service}} {{instance}}' },
    },
    {
      title: 'Garbage collection',
      unit: 'percentunit',
      lines: rates('nodejs_gc_duration_seconds_sum', 'service'),
    },
    {
      title: 'Connections of clients',
      unit: 'percentunit',
      lines: { 'gateway_connections / gateway_connections_limit': '{{instance}}' },
    },
    {
      title: 'Connections to PostgreSQL in use',
      unit: 'percentunit',
      lines: {
        '(database_pool_open - database_pool_idle) / database_pool_size': '{{service}} {{instance}}',
      },
    },
    {
      title: 'Waits for a connection, p99',
      unit: 's',
      lines: quantiles('database_pool_wait_seconds', 'service'),
    },
    {
      title: 'Refused without a connection',
      unit: 'reqps',
      lines: rates('database_pool_refused_total', 'service'),
    },
    {
      title: 'Slots of upstreams',
      unit: 'reqps',
      description:
        'Requests that waited for one, by outcome; refused_share is of a client that has its whole share.',
      lines: {
        'sum by (upstream, outcome) (rate(gateway_upstream_waits_total[$__rate_interval]))':
          '{{upstream}} {{outcome}}',
      },
    },
    {
      title: 'Tables',
      unit: 'bytes',
      lines: {
        'topk(5, max by (table) (identity_table_bytes))': 'identity {{table}}',
        'topk(5, max by (table) (business_table_bytes))': 'business {{table}}',
        'topk(5, max by (table) (webhook_table_bytes))': 'webhook {{table}}',
      },
    },
    { title: 'Purged rows', unit: 'ops', lines: rates('identity_purged_rows_total', 'table') },
    {
      title: 'Certificates',
      unit: 'dtdurations',
      description:
        'Time until the first one expires. Empty without TLS, between the services and at the gateway.',
      lines: {
        'min by (service, file) (tls_certificate_expiry_seconds)': '{{service}} {{file}}',
        'min by (file) (gateway_public_certificate_expiry_seconds)': '{{file}}',
      },
    },
  ],
};

/** Every dashboard. */
export const dashboards: readonly Dashboard[] = [edge, identity, webhooks, capacity];
