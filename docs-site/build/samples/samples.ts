import { renderCode } from '../code.ts';
import type { Operation } from '../reference/document.ts';
import { renderTabs } from '../tabs.ts';
import { curlSample } from './curl.ts';
import { goSample } from './go.ts';
import { javascriptSample } from './javascript.ts';
import { phpSample } from './php.ts';
import { pythonSample } from './python.ts';
import { type SampleRequest, sampleRequestOf } from './request.ts';

/** A language of samples: its name, that of its blocks of code, and its generator. */
interface Language {
  readonly label: string;
  readonly language: string;
  readonly write: (request: SampleRequest) => string;
}

const languages: readonly Language[] = [
  { label: 'curl', language: 'sh', write: curlSample },
  { label: 'JavaScript', language: 'js', write: javascriptSample },
  { label: 'Python', language: 'py', write: pythonSample },
  { label: 'PHP', language: 'php', write: phpSample },
  { label: 'Go', language: 'go', write: goSample },
];

/** The request of an operation in every language, to be run as it stands; empty for a page of a browser. */
export function renderSamples(operation: Operation): string {
  const request = sampleRequestOf(operation);
  if (request === undefined) return '';
  const tabs = languages.map(({ label, language, write }) => ({
    label,
    html: renderCode(write(request), language),
  }));
  return renderTabs(operation.operationId, `${operation.summary}: language`, tabs);
}
