/** One alarm, with series for which it fires and others for which it does not. */
export interface AlertCase {
  readonly alert: string;
  /** Time between values, and between evaluations. Longer for cases of days, for which promtool would take minutes. */
  readonly every: '15s' | '1m' | '5m' | '30m' | '1h';
  /** Values in promtool's notation, by series. */
  readonly fires: Readonly<Record<string, string>>;
  readonly quiet: Readonly<Record<string, string>>;
  /** Time at which both sets of series are evaluated. The alarm must have fired by then. */
  readonly at: string;
  /** Labels of the alarms that fire, without those of the rule itself. */
  readonly labels: readonly Readonly<Record<string, string>>[];
}

export const alarmEvery =
  (every: AlertCase['every']) =>
  (
    alert: string,
    at: string,
    fires: AlertCase['fires'],
    quiet: AlertCase['quiet'],
    ...labels: AlertCase['labels']
  ): AlertCase => ({ alert, every, at, fires, quiet, labels: labels.length === 0 ? [{}] : labels });

export const alarm = alarmEvery('1m');

/** Series of gateway requests, of which a share fails, over a number of steps. */
export const requests = (share: number, steps: number) => ({
  'gateway_requests_total{status="200"}': `0+${6_000 * (1 - share)}x${steps}`,
  'gateway_requests_total{status="503"}': `0+${6_000 * share}x${steps}`,
});
