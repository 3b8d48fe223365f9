import type { OAuthFailure } from '../traffic/oauth-failure-store.ts';
import type { OAuthFailures } from '../traffic/oauth-failures.ts';
import { type ClientCredentials, lastFourOf } from './client-authentication.ts';

/** The client of a request, as far as it is known when the request fails. */
export class ClientTrace {
  #clientId: string | undefined;
  #secretLastFour: string | undefined;
  #isAuthenticated = false;

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

  /** Records the failure of the request, for the owner of the application that it names. */
  record(
    failures: OAuthFailures,
    failure: Omit<OAuthFailure, 'clientId' | 'isAuthenticated' | 'secretLastFour'>,
  ): void {
    failures.record({
      ...failure,
      clientId: this.#clientId,
      isAuthenticated: this.#isAuthenticated,
      secretLastFour: this.#secretLastFour,
    });
  }
}

const clientIdShape = /^app_[0-9a-f]{32}$/;
