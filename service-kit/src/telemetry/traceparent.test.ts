import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { formatTraceparent, parentByRequestId, parseTraceparent } from './traceparent.ts';

const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
const spanId = '00f067aa0ba902b7';

const hex = (length: number) =>
  fc
    .array(fc.constantFrom(...'0123456789abcdef'), { minLength: length, maxLength: length })
    .map((digits) => digits.join(''));

const id = (length: number) => hex(length).filter((text) => /[^0]/.test(text));

describe('a traceparent', () => {
  test('is read as it was written', () => {
    fc.assert(
      fc.property(id(32), id(16), fc.boolean(), (trace, span, isSampled) => {
        expect(parseTraceparent(formatTraceparent(trace, span, isSampled))).toEqual({
          traceId: trace,
          spanId: span,
          isSampled,
          tracestate: '',
        });
      }),
    );
  });

  test.each([
    ['an unknown flag', `00-${traceId}-${spanId}-03`],
    ['a later version', `cc-${traceId}-${spanId}-01`],
    ['a later version with more fields', `cc-${traceId}-${spanId}-01-what-follows`],
  ])('with %s is read', (_, header) => {
    expect(parseTraceparent(header)).toMatchObject({ traceId, spanId, isSampled: true });
  });

  test.each([
    ['missing', undefined],
    ['empty', ''],
    ['of version ff', `ff-${traceId}-${spanId}-01`],
    ['of version 00 with more fields', `00-${traceId}-${spanId}-01-more`],
    ['without a trace id', `00-${'0'.repeat(32)}-${spanId}-01`],
    ['without a span id', `00-${traceId}-${'0'.repeat(16)}-01`],
    ['in upper case', `00-${traceId.toUpperCase()}-${spanId}-01`],
    ['short', `00-${traceId.slice(1)}-${spanId}-01`],
    ['repeated', `00-${traceId}-${spanId}-01, 00-${traceId}-${spanId}-01`],
    ['followed by a line', `00-${traceId}-${spanId}-01\n`],
    ['a list', [`00-${traceId}-${spanId}-01`]],
  ])('that is %s is ignored', (_, header) => {
    expect(parseTraceparent(header, 'vendor=value')).toBeUndefined();
  });

  test('of any form is parsed without an exception and can be formatted again', () => {
    const near = fc
      .tuple(
        hex(2),
        fc.oneof(hex(32), fc.string()),
        fc.oneof(hex(16), fc.string()),
        fc.oneof(hex(2), fc.string()),
      )
      .map((fields) => fields.join('-'));
    fc.assert(
      fc.property(fc.oneof(near, fc.string(), fc.anything()), fc.anything(), (header, state) => {
        const parent = parseTraceparent(header, state);
        if (parent === undefined) return;
        const { tracestate, ...fields } = parent;
        const written = formatTraceparent(parent.traceId, parent.spanId, parent.isSampled);
        expect(parseTraceparent(written)).toEqual({ ...fields, tracestate: '' });
        expect(tracestate.length).toBeLessThanOrEqual(512);
      }),
      { numRuns: 2_000 },
    );
  });
});

describe('a request id', () => {
  test('that is a UUID names the parent of a request without a traceparent', () => {
    const written = formatTraceparent('0a1b2c3d4e5f46789abcdef012345678', '9abcdef012345678', false);
    const derived = parentByRequestId('0a1b2c3d-4e5f-4678-9abc-def012345678');
    expect(derived).toEqual(parseTraceparent(written));
  });

  test.each([
    '',
    'req_1',
    '0A1B2C3D-4E5F-4678-9ABC-DEF012345678',
    '00000000-0000-0000-0000-000000000000',
    '0a1b2c3d-4e5f-4678-9abc-def012345678\n',
  ])('%j names no parent', (requestId) => {
    expect(parentByRequestId(requestId)).toBeUndefined();
  });
});

describe('a tracestate', () => {
  const stateOf = (state: unknown) =>
    parseTraceparent(formatTraceparent(traceId, spanId, false), state)?.tracestate;

  test('is passed on unchanged', () => {
    expect(stateOf('vendor=value,other=1')).toBe('vendor=value,other=1');
  });

  test('that is too long or not printable is dropped, but its traceparent is kept', () => {
    for (const state of ['a'.repeat(513), 'vendor=\u{e4}', 'a=b\r\nx: y', ['a=b'], undefined]) {
      expect(stateOf(state)).toBe('');
    }
  });
});
