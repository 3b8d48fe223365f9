import { type KeyObject, verify } from 'node:crypto';
import { HttpError } from '@platform/service-kit/http/errors.ts';
import { jsonReader, parseBody } from '@platform/service-kit/http/input.ts';
import { parseInput } from '@platform/service-kit/input/validation.ts';
import type { Logger } from '@platform/service-kit/telemetry/logger.ts';
import { addressBlock } from '@platform/service-kit/values/addresses.ts';
import express, { type Request, type RequestHandler, type Response, type Router } from 'express';
import type { Background } from '../platform/background.ts';
import { countAttempts, rules, type Throttle, type ThrottleRule } from '../platform/throttle.ts';
import { ApiRefusal, handleApiErrors, tooManyRequests } from '../web/api-errors.ts';
import { exactRouter } from '../web/app.ts';
import type { GithubKeys } from './github-keys.ts';
import { type HandleLeaksDeps, handleLeaks } from './handle-leaks.ts';
import { candidatesOf, isEmpty, type LeakedString } from './leaked-strings.ts';
import { githubReport, leakReport } from './report.ts';

interface LeaksEndpointDeps extends HandleLeaksDeps {
  /** Undefined: GitHub's door is closed. */
  readonly githubKeys: GithubKeys | undefined;
  /** Tags of what may be a credential. */
  readonly tagKeys: readonly KeyObject[];
  readonly throttle: Throttle;
  readonly background: Background;
  /** Page about errors. */
  readonly docsUrl: string;
  readonly logger: Logger;
}

/**
 * Where leaked credentials are reported: by any person or program at /v2/leaks, by GitHub's secret scanning at /v2/leaks/github.
 * Nothing is looked up before the response, so neither it nor its time says whether a string is a credential.
 */
export function leaksEndpoint(deps: LeaksEndpointDeps): Router {
  const router = exactRouter();
  router.post('/leaks', receiveReport(deps));
  router.post('/leaks/github', receiveFromGithub(deps));
  router.use('/leaks', handleApiErrors(deps.logger, deps.docsUrl));
  return router;
}

const readJson = jsonReader({ limit: '256kb', inflate: false });

function receiveReport(deps: LeaksEndpointDeps): RequestHandler {
  return async (req, res) => {
    await checkAddress(deps, rules.leaksAddress, res);
    const { strings, url, source } = parseInput(leakReport, await readJson(req), 'invalid_body');
    res.status(202).set('Cache-Control', 'no-store').json({});
    handleLater(
      deps,
      strings.map((text) => ({ text, url, source })),
      res,
    );
  };
}

const readBytes = express.raw({ limit: '1mb', inflate: false, type: () => true });

function receiveFromGithub(deps: LeaksEndpointDeps): RequestHandler {
  const { githubKeys } = deps;
  return async (req, res) => {
    if (githubKeys === undefined) throw new HttpError(404, 'not found');
    await checkAddress(deps, rules.githubLeaksAddress, res);
    const body = await parseBody(readBytes, req);
    if (!(body instanceof Buffer) || !(await isSigned(githubKeys, req, body))) throw notSigned;
    const found = parseInput(githubReport, parseSigned(body), 'invalid_body');
    // Labels are optional in GitHub's protocol; they would tell which strings are credentials.
    res.set('Cache-Control', 'no-store').json([]);
    handleLater(
      deps,
      found.map(({ token: text, url }) => ({ text, url, source: 'GitHub secret scanning' })),
      res,
    );
  };
}

async function checkAddress(
  { throttle }: LeaksEndpointDeps,
  rule: ThrottleRule,
  res: Response,
): Promise<void> {
  const verdict = await countAttempts(throttle, [[rule, addressBlock(res.locals.clientIp)]]);
  if (verdict !== undefined) throw tooManyRequests(verdict.retryAfterSeconds);
}

/** Handles a report after its response was written. */
function handleLater(deps: LeaksEndpointDeps, found: readonly LeakedString[], res: Response): void {
  const candidates = candidatesOf(found, deps.tagKeys);
  if (isEmpty(candidates)) return;
  const { requestId } = res.locals;
  deps.background.run('leak report', () => handleLeaks(deps, candidates, requestId));
}

/** Whether the body is signed with a key of GitHub: ECDSA over P-256 with SHA-256, the signature as DER in base64. */
async function isSigned(keys: GithubKeys, { headers }: Request, body: Buffer): Promise<boolean> {
  const identifier = headers['github-public-key-identifier'];
  const signature = headers['github-public-key-signature'];
  if (typeof identifier !== 'string' || typeof signature !== 'string') return false;
  const key = await keys.find(identifier);
  if (key?.asymmetricKeyDetails?.namedCurve !== 'prime256v1') return false;
  return verify('sha256', body, key, Buffer.from(signature, 'base64'));
}

const notSigned = new ApiRefusal({ status: 400, text: 'the signature does not match' });

function parseSigned(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    throw new HttpError(400, 'the body is not valid JSON');
  }
}
