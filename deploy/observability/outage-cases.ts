/** An outage, as all series show it in steps of 15 seconds, and exactly the alarms that it raises. */
export interface OutageCase {
  readonly title: string;
  /** Values in promtool's notation, by series. */
  readonly series: Readonly<Record<string, string>>;
  /** Firing alarms by time of evaluation: name, and labels without those of the rule. */
  readonly looks: Readonly<Record<string, readonly (readonly [string, Readonly<Record<string, string>>])[]>>;
}

const burns = (['1h', '6h'] as const).map((window) => ['ErrorBudgetBurnsFast', { window }] as const);

const replicas = ['gateway', 'identity-service', 'business-service', 'webhook-service'].flatMap((service) =>
  ['a', 'b'].map((instance) => `{job="${service}",instance="${instance}"`),
);
const services = ['identity-service', 'business-service', 'webhook-service'];

/** A series per replica: `up`, with the values. */
const up = (values: string) => Object.fromEntries(replicas.map((labels) => [`up${labels}}`, values]));

const ofPostgres = (values: string) =>
  Object.fromEntries(
    services.map((service) => [`dependency_up{service="${service}",dependency="postgres"}`, values]),
  );

/** Series that fail with PostgreSQL, from the sixth minute on: `failures` are the values of the counters. */
const failing = (failures: string) => ({
  'gateway_requests_total{status="200"}': '0+600x80',
  'gateway_requests_total{status="503"}': `0x24 ${failures}`,
  'rpc_duration_seconds_count{service="identity-service",method="GetSession",code="UNAVAILABLE"}': `0x24 ${failures}`,
  'rpc_duration_seconds_count{service="identity-service",method="GetSession",code="OK"}': '0+10x80',
  'rpc_client_duration_seconds_count{service="webhook-service",method="ListHeads",code="UNAVAILABLE"}': `0x24 ${failures}`,
  'rpc_client_duration_seconds_count{service="webhook-service",method="ListHeads",code="OK"}': '0+10x80',
  'gateway_identity_answers_total{outcome="unavailable"}': `0x24 ${failures}`,
  'gateway_identity_answers_total{outcome="allowed"}': '0+10x80',
  'database_pool_refused_total{service="business-service"}': `0x24 ${failures}`,
});

/** For promtool. */
export const outageCases: readonly OutageCase[] = [
  {
    title: 'PostgreSQL stalls for half a minute',
    series: { ...up('1x80'), ...ofPostgres('1x25 0 0 1x52'), ...failing('200 400 400x54') },
    looks: {
      // Detected one probe after its begin.
      '7m15s': [['DependencyDown', { dependency: 'postgres' }], ...burns],
      '9m': burns,
      '14m': burns.slice(1),
    },
  },
  {
    title: 'a disk of PostgreSQL is full',
    series: {
      ...up('1x80'),
      ...ofPostgres('1x80'),
      ...failing('200+200x55'),
      'database_errors_total{service="business-service",sqlstate="53100"}': '0x24 200+200x55',
      'database_errors_total{service="identity-service",sqlstate="53100"}': '0x24 200+200x55',
    },
    looks: { '8m': [['DiskFull', {}], ...burns], '18m': [['DiskFull', {}], ...burns] },
  },
  {
    title: 'the machine of PostgreSQL and Redis is broken',
    series: {
      ...up('1x80'),
      ...ofPostgres('1x25 0x54'),
      ...failing('200+200x55'),
      'gateway_redis_up{service="gateway",instance="a"}': '1x25 0x54',
      'gateway_redis_up{service="gateway",instance="b"}': '1x25 0x54',
      'gateway_limiter_degraded_seconds_total{instance="a"}': '0x25 15+15x54',
      'dependency_up{service="gateway",dependency="identity-service"}': '1x25 0x54',
    },
    looks: {
      '18m': [
        ['DependencyDown', { dependency: 'postgres' }],
        ['GatewayWithoutRedis', { service: 'gateway' }],
        ...burns,
      ],
    },
  },
  {
    title: 'the machine of all containers is broken',
    series: { ...up('1x25 0x54'), canary_last_round_timestamp_seconds: '0+15x25 375x54' },
    looks: { '18m': [['ServiceGone', { service: 'every service' }]] },
  },
  {
    title: 'identity-service is gone, and nothing else',
    series: {
      ...up('1x80'),
      'up{job="identity-service",instance="a"}': '1x25 0x54',
      'up{job="identity-service",instance="b"}': '1x25 0x54',
      'dependency_up{service="gateway",dependency="identity-service"}': '1x25 0x54',
      ...failing('200+200x55'),
    },
    looks: { '18m': [['ServiceGone', { service: 'identity-service' }], ...burns] },
  },
  {
    title: 'replicas are replaced as planned',
    series: {
      ...up('1x30 stale'),
      ...Object.fromEntries(replicas.map((labels) => [`up${labels},next="1"}`, '_x28 0 1x50'])),
      'gateway_identity_answers_total{outcome="unavailable"}': '0x29 6 20x49',
      'gateway_identity_answers_total{outcome="allowed"}': '0+10x80',
      'dependency_up{service="gateway",dependency="identity-service"}': '1x30 stale',
      'dependency_up{service="gateway",dependency="identity-service",next="1"}': '_x28 0 1x50',
      'gateway_redis_up{service="gateway",instance="a",next="1"}': '_x28 0 1x50',
      'gateway_requests_total{status="200"}': '0+600x80',
      'gateway_requests_total{status="503"}': '0x80',
    },
    looks: { '8m45s': [], '12m': [], '19m': [] },
  },
  {
    title: 'replicas are taken away as planned',
    series: { ...up('1x80'), 'up{job="gateway",instance="c"}': '1x30 stale' },
    looks: { '8m': [], '19m': [] },
  },
];
