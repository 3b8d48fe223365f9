import { type AlertCase, alarm, alarmEvery, requests } from './alert-case.ts';
import { canaryCases } from './canary-cases.ts';
import { dataCases } from './data-cases.ts';
import { replicaCases } from './replica-cases.ts';

/** A histogram that gets 60 observations a minute, all in the bucket up to `le`, of those listed. */
const histogram = (name: string, le: string, labels = '') => {
  const all = ['0.05', '0.1', '0.25', '0.5', '1', '+Inf'];
  const counts = all.map((each, index) => [each, index >= all.indexOf(le) ? '0+60x60' : '0x60'] as const);
  return Object.fromEntries(
    counts.map(([each, values]) => [`${name}_bucket{${labels}le="${each}"}`, values]),
  );
};

/** For promtool. Each alarm fires for one set of series and is quiet for another one that barely does not justify it. */
export const alertCases: readonly AlertCase[] = [
  alarm(
    'ErrorBudgetBurnsFast',
    '70m',
    requests(0.01, 70),
    requests(0.002, 70),
    { window: '1h' },
    { window: '6h' },
  ),
  // Quiet: the trouble has ended, as the short windows show.
  alarm(
    'ErrorBudgetBurnsFast',
    '2h',
    {
      'gateway_requests_total{status="503"}': '0x60 0+600x60',
      'gateway_requests_total{status="200"}': '0+6000x120',
    },
    {
      'gateway_requests_total{status="503"}': '0+600x60 36000x60',
      'gateway_requests_total{status="200"}': '0+6000x120',
    },
    { window: '1h' },
    { window: '6h' },
  ),
  alarmEvery('30m')(
    'ErrorBudgetBurnsSlowly',
    '72h',
    requests(0.002, 144),
    requests(0.0004, 144),
    { window: '1d' },
    { window: '3d' },
  ),
  alarm('LatencyHigh', '20m', histogram('gateway_request_duration_seconds', '1', 'route="/v2/order",'), {
    ...histogram('gateway_request_duration_seconds', '0.25', 'route="/v2/order",'),
    ...histogram('gateway_request_duration_seconds', '+Inf', 'route="/v2/events",'),
  }),
  ...replicaCases,
  alarm(
    'UnexpectedErrors',
    '5m',
    { gateway_unexpected_errors_total: '0x3 1x3' },
    { gateway_unexpected_errors_total: '7x6' },
  ),
  alarm(
    'RevocationsDelayed',
    '3m',
    { 'identity_propagation_delay_seconds{instance="a"}': '0 30 90 150' },
    { 'identity_propagation_delay_seconds{instance="a"}': '0 30 0 9' },
  ),
  alarm('RevocationsSlow', '30m', histogram('identity_propagation_seconds', '0.5', 'result="confirmed",'), {
    ...histogram('identity_propagation_seconds', '0.05', 'result="confirmed",'),
    ...histogram('identity_propagation_seconds', '1', 'result="pending",'),
  }),
  alarm(
    'GatewayWithoutRedis',
    '5m',
    { 'gateway_redis_up{instance="a"}': '1x2 0x3', 'gateway_redis_up{instance="b"}': '1x5' },
    { 'gateway_redis_up{instance="a"}': '1 0 1x3' },
  ),
  // Redis is unreachable for two seconds per minute, so scrapes may never see gateway_redis_up at 0.
  alarm(
    'LimiterDegraded',
    '30m',
    { gateway_limiter_degraded_seconds_total: '0+2x30' },
    { gateway_limiter_degraded_seconds_total: '1x10 3x20' },
  ),
  alarm('RedisEvicts', '5m', { gateway_redis_evicts: '1x5' }, { gateway_redis_evicts: '0x5' }),
  alarm(
    'UsageDropped',
    '10m',
    { gateway_usage_dropped_total: '0x5 3x5' },
    { gateway_usage_dropped_total: '3x10' },
  ),
  alarm(
    'RequestRecordsDropped',
    '90m',
    { gateway_request_records_dropped_total: '0+5x90' },
    { gateway_request_records_dropped_total: '0+5x30 150x60' },
  ),
  // Quiet: a planned restart of the only replica.
  alarmEvery('15s')(
    'IdentityUnavailable',
    '5m',
    {
      'gateway_identity_answers_total{outcome="unavailable"}': '0+2x20',
      'gateway_identity_answers_total{outcome="allowed"}': '0+100x20',
    },
    {
      'gateway_identity_answers_total{outcome="unavailable"}': '0x10 25 50 75x8',
      'gateway_identity_answers_total{outcome="allowed"}': '0+100x20',
    },
  ),
  alarm(
    'AuthorizationsSlow',
    '20m',
    histogram('identity_authorize_duration_seconds', '0.25', 'outcome="allowed",'),
    {
      ...histogram('identity_authorize_duration_seconds', '0.05', 'outcome="allowed",'),
      ...histogram('gateway_authorize_call_seconds', '0.25'),
      ...histogram('gateway_authorize_wait_seconds', '0.05'),
    },
  ),
  // Half a minute; quiet: a single probe, and the first of a process.
  alarmEvery('15s')(
    'DependencyDown',
    '195s',
    { 'dependency_up{service="identity-service",dependency="postgres"}': '1x9 0 0 1x9' },
    {
      'dependency_up{dependency="redis"}': '0x20',
      'dependency_up{dependency="postgres"}': '1x10 0 1x9',
      'dependency_up{dependency="identity-service"}': '_x11 0 1x8',
    },
    { dependency: 'postgres' },
  ),
  alarm(
    'DatabasePoolRefuses',
    '5m',
    { 'database_pool_refused_total{service="business-service"}': '0x2 4x3' },
    { 'database_pool_refused_total{service="business-service"}': '4x5' },
    { service: 'business-service' },
  ),
  alarm(
    'DatabasePoolWaits',
    '20m',
    histogram('database_pool_wait_seconds', '0.25', 'service="identity-service",'),
    histogram('database_pool_wait_seconds', '0.05', 'service="identity-service",'),
    { service: 'identity-service' },
  ),
  alarm(
    'UpstreamSaturated',
    '5m',
    { 'gateway_upstream_waits_total{upstream="business",outcome="refused"}': '0x2 9x3' },
    {
      'gateway_upstream_waits_total{upstream="business",outcome="admitted"}': '0+9x5',
      'gateway_upstream_waits_total{upstream="business",outcome="refused_share"}': '0+9x5',
    },
    { upstream: 'business' },
  ),
  alarm(
    'UpstreamConnectionsFail',
    '15m',
    { 'gateway_upstream_connection_failures_total{upstream="identity"}': '0+20x15' },
    { 'gateway_upstream_connection_failures_total{upstream="identity"}': '0x5 20x10' },
    { upstream: 'identity' },
  ),
  alarm(
    'RpcsFail',
    '20m',
    {
      'rpc_duration_seconds_count{service="business-service",method="GetBusiness",code="UNAVAILABLE"}':
        '0+2x20',
      'rpc_duration_seconds_count{service="business-service",method="GetBusiness",code="OK"}': '0+100x20',
    },
    {
      'rpc_duration_seconds_count{service="business-service",method="GetBusiness",code="NOT_FOUND"}':
        '0+50x20',
      'rpc_duration_seconds_count{service="business-service",method="GetBusiness",code="OK"}': '0+100x20',
    },
    { service: 'business-service', method: 'GetBusiness' },
  ),
  // One of two replicas cannot read any feed, the other may not call. Quiet: occasional late calls, and a restart.
  alarm(
    'ServiceUnreachable',
    '20m',
    {
      'rpc_client_duration_seconds_count{service="webhook-service",method="ListHeads",instance="a",code="UNAVAILABLE"}':
        '_x5 1+12x15',
      'rpc_client_duration_seconds_count{service="webhook-service",method="ListHeads",instance="b",code="OK"}':
        '0+6x20',
      'rpc_client_duration_seconds_count{service="webhook-service",method="ReadEvents",code="PERMISSION_DENIED"}':
        '0+60x20',
    },
    {
      'rpc_client_duration_seconds_count{service="gateway",method="Authorize",code="DEADLINE_EXCEEDED"}':
        '0+2x20',
      'rpc_client_duration_seconds_count{service="gateway",method="Authorize",code="CANCELLED"}': '0+20x20',
      'rpc_client_duration_seconds_count{service="gateway",method="Authorize",code="OK"}': '0+100x20',
      'rpc_client_duration_seconds_count{service="identity-service",method="AppendEvents",code="UNAVAILABLE"}':
        '0x12 0+12x3 36x6',
    },
    { service: 'webhook-service', method: 'ListHeads' },
    { service: 'webhook-service', method: 'ReadEvents' },
  ),
  alarm(
    'EventLoopLate',
    '10m',
    { 'nodejs_eventloop_lag_p99_seconds{service="gateway"}': '0.01x2 0.3x8' },
    { 'nodejs_eventloop_lag_p99_seconds{service="gateway"}': '0.01x2 0.3x3 0.02x5' },
    { service: 'gateway' },
  ),
  alarm(
    'ConnectionsNearLimit',
    '10m',
    { gateway_connections: '9000x10', gateway_connections_limit: '10000x10' },
    { gateway_connections: '7000x10', gateway_connections_limit: '10000x10' },
  ),
  alarm(
    'ClientAtConnectionLimit',
    '15m',
    { 'gateway_connections_refused_total{limit="client"}': '0x4 0+20x11' },
    { 'gateway_connections_refused_total{limit="client"}': '0x4 20x11' },
    { limit: 'client' },
  ),
  alarm(
    'CertificateExpires',
    '10m',
    {
      'gateway_public_certificate_expiry_seconds{file="PUBLIC_TLS_CERT"}': '1000000x10',
      'tls_certificate_expiry_seconds{file="GRPC_TLS_CERT"}': '-5x10',
    },
    {
      'gateway_public_certificate_expiry_seconds{file="PUBLIC_TLS_CERT"}': '3000000x10',
      'tls_certificate_expiry_seconds{file="GRPC_TLS_CERT"}': '3000000x10',
    },
    { file: 'PUBLIC_TLS_CERT' },
    { file: 'GRPC_TLS_CERT' },
  ),
  alarm(
    'CertificateExpiresSoon',
    '10m',
    { 'tls_certificate_expiry_seconds{file="GRPC_TLS_CA"}': '80000x10' },
    { 'tls_certificate_expiry_seconds{file="GRPC_TLS_CA"}': '1000000x10' },
    { file: 'GRPC_TLS_CA' },
  ),
  ...dataCases,
  alarm(
    'WebhookBacklog',
    '20m',
    { 'webhook_delivery_lag_seconds{instance="a"}': '0x5 310+60x15' },
    { 'webhook_delivery_lag_seconds{instance="a"}': '0x5 310x5 0x10', webhook_oldest_due_seconds: '9000x20' },
  ),
  alarm(
    'EventsNotPublished',
    '5m',
    { identity_outbox_oldest_seconds: '0x2 61+60x3' },
    { identity_outbox_oldest_seconds: '0x2 50x3' },
  ),
  alarm(
    'BackgroundWorkFails',
    '5m',
    { 'identity_background_work_total{work="mail",outcome="failed"}': '0x2 1x3' },
    { 'identity_background_work_total{work="mail",outcome="done"}': '0+10x5' },
    { work: 'mail' },
  ),
  alarmEvery('5m')(
    'PasswordGuessing',
    '4h',
    { 'identity_logins_total{outcome="refused"}': '0+30x36 1080+6000x12' },
    { 'identity_logins_total{outcome="refused"}': '0+30x36 1080+250x12' },
  ),
  alarmEvery('5m')(
    'KeyGuessing',
    '4h',
    { 'gateway_refusals_total{reason="unknown"}': '0+30x36 1080+6000x12' },
    { 'gateway_refusals_total{reason="missing"}': '0+30x36 1080+6000x12' },
  ),
  // The attack comes with the first hour of the gateways or of identity-service.
  alarmEvery('5m')(
    'PasswordGuessing',
    '4h',
    { 'identity_logins_total{outcome="refused"}': '_x36 0+6000x12' },
    { 'identity_logins_total{outcome="refused"}': '_x36 0+250x12' },
  ),
  alarmEvery('5m')(
    'KeyGuessing',
    '4h',
    { 'gateway_refusals_total{reason="unknown"}': '_x36 0+6000x12' },
    { 'gateway_refusals_total{reason="unknown"}': '_x36 0+250x12' },
  ),
  ...canaryCases,
];
