import { redactPath } from '@platform/service-kit/telemetry/logger.ts';
import type { Request, Response } from 'express';
import type { OAuthCall } from '../traffic/oauth-call-store.ts';
import type { OAuthCalls } from '../traffic/oauth-calls.ts';
import type { OAuthEndpoint } from '../traffic/oauth-reason.ts';
import { type ClientCredentials, lastFourOf } from './client-authentication.ts';

/** Characters of a User-Agent that are recorded. */
const maxUserAgent = 200;

/** A request to an OAuth endpoint, and its client as far as it is known when the request ends. */
export class ClientTrace {
  readonly #startedAt = performance.now();
  readonly #endpoint: OAuthEndpoint;
  readonly #req: Request;
  readonly #res: Response;
  #clientId: string | undefined;
  #secretLastFour: string | undefined;
  #isAuthenticated = false;

  constructor(endpoint: OAuthEndpoint, req: Request, res: Response) {
    this.#endpoint = endpoint;
    this.#req = req;
    this.#res = res;
  }

  /** The client that a request names. @param clientId as sent */
  name(clientId: string | undefined): void {
    // Any other text may be a secret.
    this.#clientId = clientId !== undefined && clientIdShape.test(clientId) ? clientId : undefined;
  }

  /** The credentials that a request shows. */
  show({ clientId, clientSecret }: ClientCredentials): void {
    this.name(clientId);
    this.#secretLastFour = lastFourOf(clientSecret);
  }

  /** The client has authenticated. */
  prove(): void {
    this.#isAuthenticated = true;
  }

  get isAuthenticated(): boolean {
    return this.#isAuthenticated;
  }

  /** Records the request with its response, for the owner of the application that it names. */
  record(
    oauthLog: OAuthCalls,
    response: Pick<OAuthCall, 'status'> & Partial<Pick<OAuthCall, 'reason' | 'publicError'>>,
  ): void {
    const { requestId, clientIp } = this.#res.locals;
    const { method, headers } = this.#req;
    oauthLog.record({
      requestId,
      clientIp,
      at: Date.now(),
      ms: performance.now() - this.#startedAt,
      endpoint: this.#endpoint,
      method,
      userAgent: redactPath(headers['user-agent'] ?? '').slice(0, maxUserAgent),
      status: response.status,
      reason: response.reason,
      publicError: response.publicError,
      clientId: this.#clientId,
      isAuthenticated: this.#isAuthenticated,
      secretLastFour: this.#secretLastFour,
    });
  }
}

const clientIdShape = /^app_[0-9a-f]{32}$/;
