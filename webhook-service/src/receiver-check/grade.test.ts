import { expect, test } from '@jest/globals';
import { gradeReceiver, type ProbeKind, type ProbeResult, probeKinds } from './grade.ts';

const slowMs = 2_000;

/** Responses of a correct receiver, but for `change`. */
function results(change: Partial<Record<ProbeKind, Partial<ProbeResult>>> = {}): ProbeResult[] {
  return probeKinds.map((kind): ProbeResult => {
    const refused = kind === 'tampered' || kind === 'stale';
    const response = refused
      ? ({ outcome: 'refused', status: 400 } as const)
      : ({ outcome: 'delivered', status: 204 } as const);
    return { kind, durationMs: 20, ...response, ...change[kind] };
  });
}

const accepted = { outcome: 'delivered', status: 200 } as const;
const broken = { outcome: 'refused', status: 500 } as const;
const silent = { outcome: 'timed_out', status: undefined, durationMs: 5_000 } as const;

test('a correct receiver has no findings', () => {
  expect(gradeReceiver(results(), slowMs)).toEqual([]);
  expect(gradeReceiver(results({ slow_body: { durationMs: 2_500 } }), slowMs)).toEqual([]);
});

test.each<[string, Partial<Record<ProbeKind, Partial<ProbeResult>>>, readonly string[]]>([
  ['does not respond', { good: silent }, ['unreachable']],
  ['refuses a valid delivery', { good: { outcome: 'refused', status: 401 } }, ['good_refused']],
  ['fails on a valid delivery', { good: broken }, ['good_failed']],
  ['accepts any signature', { tampered: accepted, stale: accepted }, ['tampered_accepted', 'stale_accepted']],
  ['fails on a wrong signature', { tampered: broken }, ['tampered_failed']],
  ['does not respond to a wrong signature', { tampered: silent }, ['tampered_failed']],
  ['ignores the timestamp', { stale: accepted }, ['stale_accepted']],
  ['refuses repetitions', { duplicated: { outcome: 'refused', status: 409 } }, ['duplicated_refused']],
  ['refuses events out of order', { later: broken, earlier: broken }, ['reordered_refused']],
  ['gives up on slow bodies', { slow_body: { outcome: 'refused', status: 408 } }, ['slow_body_refused']],
  ['works before it responds', { good: { durationMs: 2_001 } }, ['slow_response']],
])('a receiver that %s has the matching findings', (_, change, findings) => {
  expect(gradeReceiver(results(change), slowMs)).toEqual(findings);
});
