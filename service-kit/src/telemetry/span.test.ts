import { expect, test } from '@jest/globals';
import { encodeSpans } from './otlp.ts';
import { type Operation, Span, spanKind } from './span.ts';
import { parentByRequestId, type RemoteParent } from './traceparent.ts';

const operation: Operation = { name: 'GET', kind: spanKind.server, attributes: { 'url.scheme': 'http' } };

const requestId = '0a1b2c3d-4e5f-4678-9abc-def012345678';

/** A request and what of it is exported. @param parent of another process; none where the request begins the trace */
function startRequest(isSampled: boolean, parent?: RemoteParent) {
  const exported: Span[] = [];
  const counts = { failed: 0, excess: 0 };
  const sink = {
    export: (spans: readonly Span[]) => void exported.push(...spans),
    exportFailed: (spans: readonly Span[]) => {
      counts.failed++;
      exported.push(...spans);
      return true;
    },
    countExcess: () => void counts.excess++,
  };
  const startedAt = performance.now();
  const root = Span.startRoot(sink, { requestId, isSampled, parent, operation, startedAt });
  return { root, exported, counts };
}

test('a trace that begins with a request has the digits of the request id', () => {
  expect(startRequest(true).root.traceId).toBe('0a1b2c3d4e5f46789abcdef012345678');
});

test('the upstream derives the trace and span of an unsampled request from the request id', () => {
  const { root } = startRequest(false);
  const forwarding = root.startForwarding(operation);
  expect(root.needsTraceparent).toBe(false);
  expect(parentByRequestId(requestId)).toEqual({
    traceId: root.traceId,
    spanId: forwarding.id,
    isSampled: false,
    tracestate: '',
  });
  expect(root.startChild(operation).id).not.toBe(forwarding.id);
});

test('the upstream gets a traceparent when the request is sampled or continues a trace', () => {
  const parent = { traceId: 'a'.repeat(32), spanId: 'b'.repeat(16), isSampled: false, tracestate: '' };
  for (const { root } of [startRequest(true), startRequest(false, parent)]) {
    expect(root.needsTraceparent).toBe(true);
    // Requests that continue one trace must not share a span id.
    expect(root.startForwarding(operation).id).not.toBe(root.traceId.slice(16));
  }
});

test('a request that was neither sampled nor failed exports no spans, even if they end later', () => {
  const { root, exported } = startRequest(false);
  const late = root.startChild(operation);
  root.startChild(operation).end({}, 'failed');
  root.end();
  late.end();
  expect(exported).toEqual([]);
  expect(root.loggedTraceId).toBeUndefined();
});

test.each([true, false])('a request that failed exports all of its spans (sampled: %p)', (isSampled) => {
  const { root, exported, counts } = startRequest(isSampled);
  const late = root.startChild(operation);
  const child = root.startChild(operation);
  child.end();
  root.end({}, '503');
  late.end();
  expect(exported).toEqual([root, child, late]);
  expect(counts.failed).toBe(isSampled ? 0 : 1);
  expect(root.loggedTraceId).toBe(root.traceId);
});

test('a span ends once', () => {
  const { root, exported } = startRequest(true);
  root.end({ 'http.response.status_code': 200 });
  root.end({ 'http.response.status_code': 500 }, '500');
  expect(exported.map(({ attributes }) => attributes)).toEqual([{ 'http.response.status_code': 200 }]);
});

test('the first 200 spans of a request are kept, and the others are counted', () => {
  const { root, exported, counts } = startRequest(true);
  for (let i = 0; i < 250; i++) root.startChild(operation).end();
  root.end();
  expect(exported).toHaveLength(201);
  expect(counts.excess).toBe(50);
});

test('ids of spans are unique, and a child names its parent', () => {
  const { root } = startRequest(true);
  const children = Array.from({ length: 1_000 }, () => root.startChild(operation));
  expect(new Set([root, ...children].map(({ id }) => id)).size).toBe(1_001);
  for (const { id, parentId, traceparent } of children) {
    expect(id).toMatch(/^[0-9a-f]{16}$/);
    expect(parentId).toBe(root.id);
    expect(traceparent).toBe(`00-${root.traceId}-${id}-01`);
  }
});

test('times are those of the wall clock, and absent attributes are left out', () => {
  const before = Date.now();
  const { root, exported } = startRequest(true);
  root.end({ 'http.route': undefined, 'http.response.status_code': 200 });
  const { resourceSpans } = JSON.parse(encodeSpans(exported, { 'service.name': 'test' }));
  const [span] = resourceSpans[0].scopeSpans[0].spans;
  const millisecondsOf = (nanos: string) => Number(BigInt(nanos) / 1_000_000n);
  expect(millisecondsOf(span.startTimeUnixNano)).toBeGreaterThanOrEqual(before - 1);
  expect(millisecondsOf(span.endTimeUnixNano)).toBeLessThanOrEqual(Date.now() + 1);
  expect(span.attributes).toEqual([
    { key: 'url.scheme', value: { stringValue: 'http' } },
    { key: 'http.response.status_code', value: { intValue: '200' } },
  ]);
});
