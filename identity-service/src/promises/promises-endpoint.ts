import { errorHandler, httpErrorBody, httpStatusOfKind } from '@platform/service-kit/http/errors.ts';
import type { Logger } from '@platform/service-kit/telemetry/logger.ts';
import { toAppError } from '@platform/service-kit/values/app-error.ts';
import type { Response, Router } from 'express';
import { formatTime } from '../platform/text.ts';
import { exactRouter } from '../web/app.ts';
import type { Figures, KeptPromises, PromiseRecord } from './record.ts';
import type { DocumentSigner } from './signature.ts';
import { promiseTexts } from './texts.ts';

interface PromisesEndpointDeps {
  readonly readPromises: () => Promise<KeptPromises>;
  readonly signer: DocumentSigner;
  /** Origin of the platform. */
  readonly publicUrl: string;
  readonly logger: Logger;
}

/** Path of the public keys. */
const keysPath = '/.well-known/promises-keys';

/** GET /promises.json: how every promise was kept, signed; and the keys that verify it. */
export function promisesEndpoint({ readPromises, signer, publicUrl, logger }: PromisesEndpointDeps): Router {
  const router = exactRouter();
  router.get('/promises.json', async (_req, res) => {
    const document = Buffer.from(JSON.stringify(documentOf(await readPromises(), publicUrl)));
    res.set({ 'Cache-Control': 'public, max-age=10', 'X-JWS-Signature': await signer.sign(document) });
    res.type('json').send(document);
  });
  router.get(keysPath, (_req, res) => {
    res.set('Cache-Control', 'public, max-age=300').json({ keys: [signer.publicKey] });
  });
  router.use('/promises.json', errorHandler(logger, responseTo, sendError));
  return router;
}

/** The document, whose fields are public. */
function documentOf({ now, lastAt, promises, violationCount, violations }: KeptPromises, issuer: string) {
  return {
    issuer,
    keys: new URL(keysPath, issuer).href,
    generated_at: formatTime(now),
    last_check_at: lastAt === undefined ? null : formatTime(lastAt),
    promises: promises.map(promiseOf),
    violation_count: violationCount,
    violations: violations.map(({ at, requestId, ...violation }) => ({
      at: formatTime(at),
      request_id: requestId,
      ...violation,
    })),
  };
}

function promiseOf({ name, all, days }: PromiseRecord) {
  return {
    name,
    ...promiseTexts[name],
    last_30_days: figuresOf(all),
    days: days.map(({ day, figures }) => ({ day, ...figuresOf(figures) })),
  };
}

function figuresOf(figures: Figures | undefined) {
  if (figures === undefined) return { is_measured: false };
  const { checks, violations, timed, p50Ms, p99Ms, slowestMs, highestPercent } = figures;
  return {
    is_measured: true,
    checks,
    violations,
    ...(highestPercent !== undefined && { highest_percent_of_limit: highestPercent }),
    ...(slowestMs !== undefined && { timed, p50_ms: p50Ms, p99_ms: p99Ms, worst_ms: slowestMs }),
  };
}

const responseTo = (error: unknown) => ({ status: httpStatusOfKind[toAppError(error).kind] });

function sendError(res: Response, { status }: { readonly status: number }): void {
  res
    .status(status)
    .set('Cache-Control', 'no-store')
    .json(httpErrorBody(status, status === 503 ? 'Service unavailable' : 'unexpected error'));
}
