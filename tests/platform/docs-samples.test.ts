import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { findProgram } from '../../deploy/local/process/install-packages.ts';
import type { TestApplication } from '../harness/applications.ts';
import { orderBody } from '../harness/business-platform.ts';
import { codeBlocks } from '../harness/documentation-pages.ts';
import { authorizeApplication, challengeOf, connect } from '../harness/oauth.ts';
import { signUpVerified, type TestPerson } from '../harness/people.ts';
import { runDirectory } from '../harness/run-directory.ts';
import { running } from '../harness/running.ts';
import { sharedPlatform } from '../harness/shared-platform.ts';

/** The samples of the reference, run as they stand on its page: every operation in every language that this machine has. */

interface Language {
  readonly label: string;
  /** Of its blocks of code. */
  readonly name: string;
  readonly file: string;
  readonly command: readonly [program: string, ...rest: string[]];
}

const languages: readonly Language[] = [
  { label: 'curl', name: 'sh', file: 'sample.sh', command: ['sh'] },
  { label: 'JavaScript', name: 'js', file: 'sample.mjs', command: [process.execPath] },
  { label: 'Python', name: 'py', file: 'sample.py', command: ['python3'] },
  { label: 'PHP', name: 'php', file: 'sample.php', command: ['php'] },
  { label: 'Go', name: 'go', file: 'sample.go', command: ['go', 'run'] },
];
const isHere = ({ command: [program] }: Language) =>
  program.startsWith('/') || findProgram(undefined, [program], process.env) !== undefined;
const missing = languages.filter((language) => !isHere(language)).map(({ label }) => label);
if (missing.length > 0) process.stderr.write(`Samples not run, as not installed: ${missing.join(', ')}.\n`);

const platform = running(sharedPlatform);
let page: string;
let owner: TestPerson;
let application: TestApplication;
let key: string;
beforeAll(async () => {
  page = (await platform.request(0, 'GET', '/docs/reference')).text;
  owner = await signUpVerified(platform);
  application = await platform.createApplication({ businessId: owner.businessId });
  key = (await platform.createKey()).keyString;
});

/** The sample of an operation in a language. */
function sampleOf(operationId: string, { name }: Language): string {
  const [, article = ''] = new RegExp(`<h3 id="/\\w+/${operationId}">(.*?)</article>`, 's').exec(page) ?? [];
  return codeBlocks(article, name)[0] ?? '';
}

/** Runs a program. Resolves to what it prints. @throws with it when the program fails */
function run({ file, command: [program, ...rest] }: Language, text: string, variables: object) {
  const cwd = runDirectory().newDirectory('sample');
  writeFileSync(join(cwd, file), text);
  const { PATH = '' } = process.env;
  const env = { PATH, HOME: cwd, ...variables };
  const child = spawn(program, [...rest, file], { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
  let printed = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (part: string) => {
      printed += part;
    });
  }
  return new Promise<string>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => (code === 0 ? resolve(printed) : reject(new Error(`${text}\n${printed}`))));
  });
}

const newOrder = async () => {
  const { headers } = await platform.request(0, 'POST', '/v2/order', { key, body: orderBody });
  return String(headers.location).split('/').at(-1) ?? '';
};
const clientVariables = () => ({
  CLIENT_ID: application.clientId,
  CLIENT_SECRET: application.clientSecret,
});

/** Needs of a sample: variables of the environment, and what stands for the id of the example in the path. */
interface Circumstances {
  readonly variables?: object;
  readonly id?: string;
}

interface Case {
  readonly operationId: string;
  /** Part of the response. */
  readonly prints: RegExp;
  /** Requests of the hour that the page says it counts as. */
  readonly cost: 0 | 1;
  readonly prepare?: (text: string) => Promise<Circumstances>;
}

const exampleId = /(?<=\/)(?:ord|whe)_\w+/;

const cases: readonly Case[] = [
  { operationId: 'getCurrentBusiness', prints: /account_holder/, cost: 1 },
  { operationId: 'listOrders', prints: /next_cursor/, cost: 1 },
  { operationId: 'createOrder', prints: /pending/, cost: 1 },
  { operationId: 'getOrder', prints: /pending/, cost: 1, prepare: async () => ({ id: await newOrder() }) },
  { operationId: 'changeOrder', prints: /paid/, cost: 1, prepare: async () => ({ id: await newOrder() }) },
  { operationId: 'eraseCustomer', prints: /events/, cost: 1 },
  { operationId: 'getRateLimit', prints: /remaining/, cost: 0 },
  { operationId: 'listEvents', prints: /next_cursor/, cost: 1 },
  {
    operationId: 'selfRevokeKey',
    prints: /\{\}/,
    cost: 0,
    prepare: async () => ({ variables: { API_KEY: (await platform.createKey()).keyString } }),
  },
  { operationId: 'reportLeaks', prints: /\{\}/, cost: 0 },
  {
    operationId: 'issueTokens',
    prints: /at_\w+/,
    cost: 0,
    prepare: async (text) => {
      const [verifier = ''] = /[\w-]{43}/.exec(text) ?? [];
      const change = { code_challenge: challengeOf(verifier) };
      const { code } = await authorizeApplication(owner.browser, application, change);
      return { variables: { ...clientVariables(), AUTHORIZATION_CODE: code } };
    },
  },
  {
    operationId: 'revokeToken',
    prints: /\{\}/,
    cost: 0,
    prepare: async () => {
      const { refreshToken } = await connect(platform, owner.browser, application);
      return { variables: { ...clientVariables(), REFRESH_TOKEN: refreshToken } };
    },
  },
  { operationId: 'getAuthorizationServerMetadata', prints: /token_endpoint/, cost: 0 },
];

const elsewhere = ['getWebhookKeys', 'reportGithubLeaks'];

const used = async (): Promise<number> => {
  const { headers } = await platform.request(0, 'GET', '/v2/rate-limit', { key });
  return Number(headers['x-ratelimit-limit']) - Number(headers['x-ratelimit-remaining']);
};

describe.each(languages)('samples in $label', (language) => {
  const testHere = isHere(language) ? test : test.skip;

  testHere.each(cases)('$operationId runs, and counts as the page says', async (sample) => {
    const text = sampleOf(sample.operationId, language);
    const { variables = {}, id } = (await sample.prepare?.(text)) ?? {};
    const before = await used();
    const printed = await run(language, id === undefined ? text : text.replace(exampleId, id), {
      API_KEY: key,
      ...variables,
    });
    expect(printed).toMatch(sample.prints);
    expect((await used()) - before).toBe(sample.cost);
  });

  // Endpoints with keys and reports of GitHub are other tests': here the response that there is none says that the path is right.
  testHere.each(elsewhere)('%s asks at its path', async (operationId) => {
    const printed = await run(language, sampleOf(operationId, language), {}).catch(String);
    expect(printed).toMatch(/Not found|404/);
  });
});

test('every operation has a sample in every language, except the page that browsers open', async () => {
  const document = (await platform.request(0, 'GET', '/docs/openapi.json')).json() as {
    readonly paths: Readonly<Record<string, Readonly<Record<string, { readonly operationId?: string }>>>>;
  };
  const ids = Object.values(document.paths)
    .flatMap((item) => Object.values(item))
    .flatMap(({ operationId }) => operationId ?? []);
  const run = [...cases.map(({ operationId }) => operationId), ...elsewhere, 'authorize'];
  expect(run.toSorted()).toEqual(ids.toSorted());
  for (const id of ids) {
    const samples = languages.map((language) => sampleOf(id, language) !== '');
    expect([id, samples]).toEqual([id, languages.map(() => id !== 'authorize')]);
  }
});

test('the page names what each request counts as', () => {
  for (const { operationId, cost } of cases) {
    const [, limit] =
      new RegExp(`<h3 id="/\\w+/${operationId}">.*?<dt>Hourly limit</dt><dd>(.*?)</dd>`, 's').exec(page) ??
      [];
    expect([operationId, limit]).toEqual([
      operationId,
      cost === 0 ? 'does not count' : 'counts as <a href="/docs/limits">1 request</a>',
    ]);
  }
});
