import { type AlertCase, alarm, alarmEvery } from './alert-case.ts';

/** For promtool: alarms of what the canary measures. */
export const canaryCases: readonly AlertCase[] = [
  alarm(
    'PromiseBroken',
    '6m',
    {
      'canary_violations_total{promise="revocation"}': '0x3 1x20',
      'canary_violations_total{promise="rolling_hour"}': '0x20',
    },
    { 'canary_violations_total{promise="revocation"}': '1x20' },
    { promise: 'revocation' },
  ),
  alarm(
    'PromiseBroken',
    '6m',
    {
      'canary_violations_total{promise="webhook"}': '0x3 1x20',
      'canary_violations_total{promise="refresh"}': '0x20',
    },
    { 'canary_violations_total{promise="webhook"}': '1x20' },
    { promise: 'webhook' },
  ),
  alarm(
    'PromiseBroken',
    '6m',
    { 'canary_violations_total{promise="refresh"}': '0x3 2x20' },
    { 'canary_violations_total{promise="refresh"}': '2x20' },
    { promise: 'refresh' },
  ),
  // The canary is gone, or has not completed a round since its start.
  alarm(
    'CanarySilent',
    '20m',
    { canary_last_round_timestamp_seconds: '0+60x5 stale' },
    { canary_last_round_timestamp_seconds: '0+60x20' },
  ),
  // The canary has been gone for more than a day.
  alarmEvery('1h')(
    'CanarySilent',
    '40h',
    { canary_last_round_timestamp_seconds: '0+3600x5 stale' },
    { canary_last_round_timestamp_seconds: '0+3600x40' },
  ),
  // The canary restarts repeatedly without completing a round. Quiet: it has just been installed.
  alarm(
    'CanarySilent',
    '24m',
    {
      canary_last_round_timestamp_seconds: '0+60x24',
      'canary_rounds_total{result="measured"}': '5x4 0x2 _x5 0x2 _x5 0x5',
    },
    {
      canary_last_round_timestamp_seconds: '_x20 1200x4',
      'canary_rounds_total{result="measured"}': '_x20 0x4',
    },
  ),
  // The same. Quiet: it has completed a round since.
  alarm(
    'CanarySilent',
    '24m',
    {
      canary_last_round_timestamp_seconds: '0+60x24',
      'canary_rounds_total{result="measured"}': '0x24',
    },
    {
      canary_last_round_timestamp_seconds: '0+60x24',
      'canary_rounds_total{result="measured"}': '0x22 1x2',
    },
  ),
];
