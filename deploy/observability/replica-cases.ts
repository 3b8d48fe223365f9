import { type AlertCase, alarm } from './alert-case.ts';

/** Cases of the alarms about replicas that do not respond. */
export const replicaCases: readonly AlertCase[] = [
  alarm(
    'ServiceGone',
    '5m',
    {
      'up{job="gateway",instance="a"}': '0x5',
      'up{job="identity-service-replicas",instance="b"}': '1x5',
      'up{job="business-service"}': '1x5',
    },
    {
      'up{job="gateway",instance="a"}': '0x5',
      'up{job="gateway",instance="b"}': '1x5',
      'up{job="identity-service"}': '1x5',
      'up{job="business-service"}': '1x5',
      'up{job="webhook-service"}': '1x5',
    },
    { service: 'gateway' },
    { service: 'webhook-service' },
  ),
  // All jobs are gone, which raises a single alarm.
  alarm(
    'ServiceGone',
    '5m',
    {
      'up{job="gateway",instance="a"}': '1 0x4',
      'up{job="identity-service",instance="b"}': '1 0x4',
      'up{job="business-service",instance="c"}': '1 0x4',
      'up{job="webhook-service",instance="d"}': '1 stale',
    },
    {
      'up{job="gateway"}': '1x5',
      'up{job="identity-service"}': '1x5',
      'up{job="business-service"}': '1x5',
      'up{job="webhook-service"}': '1x5',
    },
    { service: 'every service' },
  ),
  // Quiet: if no replica of a service responds, ServiceGone fires instead.
  alarm(
    'ReplicaDown',
    '6m',
    { 'up{job="gateway",instance="a"}': '0x6', 'up{job="gateway",instance="b"}': '1x6' },
    {
      'up{job="gateway",instance="a"}': '1 0 1x4',
      'up{job="gateway",instance="b"}': '1x6',
      'up{job="webhook-service",instance="a"}': '0x6',
      'up{job="other"}': '0x6',
    },
    { job: 'gateway' },
  ),
  // In docker-compose.yml an ended container is no target. Quiet: fewer replicas on purpose, or by an autoscaler on Kubernetes.
  alarm(
    'ReplicaDown',
    '20m',
    { 'up{job="gateway",instance="a"}': '1x12 stale', 'up{job="gateway",instance="b"}': '1x20' },
    {
      'up{job="gateway",instance="a"}': '1x12 stale',
      'up{job="gateway",instance="b"}': '1x20',
      'up{job="gateway",instance="c"}': '1x20',
      'up{job="business-service",instance="a",pod="a"}': '1x12 stale',
      'up{job="business-service",instance="b",pod="b"}': '1x20',
      'up{job="identity-service",instance="a"}': '1x12 stale _ _ 1x4',
      'up{job="identity-service",instance="b"}': '1x20',
    },
    { job: 'gateway' },
  ),
];
