import { describe, expect, test } from '@jest/globals';
import { z } from 'zod';
import { readConfig } from '../config/config.ts';
import { tracingFields } from './tracer.ts';

const headersOf = (text: string) => readConfig(z.object(tracingFields), { OTLP_HEADERS: text }).OTLP_HEADERS;

describe('OTLP_HEADERS', () => {
  test.each([
    ['api-key=abc', { 'api-key': 'abc' }],
    ['X-Api-Key=abc, x-scope-orgid = tenant ,', { 'x-api-key': 'abc', 'x-scope-orgid': 'tenant' }],
    ['authorization=Basic dXNlcjpwYXNz+/==', { authorization: 'Basic dXNlcjpwYXNz+/==' }],
    ['authorization=Basic%20dXNlcjpwYXNz', { authorization: 'Basic dXNlcjpwYXNz' }],
    ['key=a%2Cb%3Dc%25', { key: 'a,b=c%' }],
  ])('%s is read', (text, headers) => {
    expect(headersOf(text)).toEqual(headers);
  });

  const shape = 'must be a list of headers, as key=value,key2=value2, with percent-encoded values';
  test.each([
    ['without a name', 'hunter2', shape],
    ['with an empty name', '=hunter2', shape],
    ['with a name that no header can have', 'api key=hunter2', shape],
    ['without a value', 'api-key=,other=hunter2', shape],
    ['with half an encoding', 'api-key=hunter2%2', shape],
    ['with bytes that are no text', 'api-key=hunter2%ff', shape],
    ['with the end of a line', 'api-key=hunter2%0d%0ahost:x', shape],
    ['with a letter that headers do not have', 'api-key=hunter2\u{e4}', shape],
    ['with commas only', ',,', shape],
    [
      "with the export's own header",
      'a=hunter2,Content-Type=text/plain',
      'must not set headers of the export itself, such as content-type or host',
    ],
    ['with a header twice', 'api-key=hunter2,API-KEY=other', 'must name each header once'],
  ])('%s is refused by name, without its text', (_, text, message) => {
    const read = () => headersOf(text);
    expect(read).toThrow(new Error(`The configuration is not valid:\n  OTLP_HEADERS: ${message}`));
  });
});
