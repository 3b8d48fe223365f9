import { afterAll, beforeAll, expect, test } from '@jest/globals';
import express, { type ErrorRequestHandler } from 'express';
import session from 'express-session';
import { Passport } from 'passport';
import OAuth2Strategy from 'passport-oauth2';
import { createBrowser } from '../harness/browser.ts';
import { type ClientPlatform, scopes, startClientPlatform } from '../harness/client-platform.ts';
import { startUpstream, type Upstream } from '../harness/upstream.ts';

/** passport-oauth2, as it is, in an Express application: state and verifier lie in its session. It has no revocation. */

/** The library's own way to a strategy for one platform: a subclass that says who the token speaks for. */
class PlatformStrategy extends OAuth2Strategy {
  readonly profileUrl: string;

  constructor(
    profileUrl: string,
    options: OAuth2Strategy.StrategyOptions,
    verify: OAuth2Strategy.VerifyFunction,
  ) {
    super(options, verify);
    this.profileUrl = profileUrl;
    this._oauth2.useAuthorizationHeaderforGET(true);
  }

  override userProfile(accessToken: string, done: (error?: unknown, profile?: unknown) => void): void {
    this._oauth2.get(this.profileUrl, accessToken, (error, body) =>
      error ? done(error) : done(null, JSON.parse(String(body))),
    );
  }

  /** Refreshes as passport-oauth2-refresh does. */
  refresh(refreshToken: string): Promise<Tokens> {
    return new Promise((resolve, reject) => {
      this._oauth2.getOAuthAccessToken(
        refreshToken,
        { grant_type: 'refresh_token' },
        (error, accessToken, newRefreshToken) =>
          error
            ? reject(error)
            : resolve({ accessToken: accessToken ?? '', refreshToken: newRefreshToken ?? '' }),
      );
    });
  }
}

interface Tokens {
  readonly accessToken: string;
  readonly refreshToken: string;
}

interface Application {
  readonly strategy: PlatformStrategy;
  /** Starts a login in a new browser and sends the person through it; resolves to the application's result. */
  connect(decision?: 'approve' | 'deny', change?: (callback: URL) => void): Promise<unknown>;
}

let world: ClientPlatform;
const applications: Upstream[] = [];
beforeAll(async () => {
  world = await startClientPlatform();
});
afterAll(async () => {
  for (const application of applications) await application.close();
  await world?.platform.close();
});

/** An Express application that lets people in through the platform. */
async function startApplication(clientSecret = world.application.clientSecret): Promise<Application> {
  const { publicUrl, gatewayPorts } = world.platform;
  const secondGateway = `http://127.0.0.1:${gatewayPorts[1]}`;
  const options: OAuth2Strategy.StrategyOptions = {
    authorizationURL: `${publicUrl}/oauth/authorize`,
    tokenURL: `${secondGateway}/v2/oauth/token`,
    clientID: world.application.clientId,
    clientSecret,
    callbackURL: world.application.redirectUri,
    scope: [...scopes],
    state: true,
    pkce: true,
  };
  const profileUrl = `${secondGateway}/v2/businesses/me`;
  const strategy = new PlatformStrategy(
    profileUrl,
    options,
    (accessToken: string, refreshToken: string, profile: object, verified: OAuth2Strategy.VerifyCallback) =>
      verified(null, { accessToken, refreshToken, profile }),
  );
  const passport = new Passport().use(strategy);
  const respondWithError: ErrorRequestHandler = (error, _req, res, _next) =>
    void res.json({ name: error.name, code: error.code, message: error.message });
  const app = express()
    .use(session({ secret: 'a test', resave: false, saveUninitialized: false }))
    .get('/login', passport.authenticate('oauth2', { session: false }))
    .get(
      '/callback',
      passport.authenticate('oauth2', { session: false }),
      (req, res) => void res.json(req.user),
    )
    .use(respondWithError);
  const server = await startUpstream(app);
  applications.push(server);
  return {
    strategy,
    connect: async (decision, change) => {
      const browser = createBrowser(server.port);
      const { headers } = await browser.send('GET', '/login');
      const callback = await world.visit(headers.location ?? '', decision);
      change?.(callback);
      const { status, text } = await browser.send('GET', `${callback.pathname}${callback.search}`);
      return status === 200 ? JSON.parse(text) : { status, text };
    },
  };
}

test('passport-oauth2 goes through the whole flow', async () => {
  const { strategy, connect } = await startApplication();
  const user = await connect();
  expect(user).toMatchObject({
    profile: { id: world.businessId },
    accessToken: expect.stringMatching(/^at_/),
  });
  const { refreshToken } = user as Tokens;
  const fresh = await strategy.refresh(refreshToken);
  expect(await world.apiStatuses(fresh.accessToken)).toEqual([200, 200]);
  expect(fresh.refreshToken).not.toBe(refreshToken);

  await world.disconnect();
  expect(await world.apiStatuses(fresh.accessToken)).toEqual([401, 401]);
  await expect(strategy.refresh(fresh.refreshToken)).rejects.toMatchObject({
    statusCode: 400,
    data: expect.stringContaining('invalid_grant'),
  });
});

test('passport-oauth2 refuses a login that was denied', async () => {
  const { connect } = await startApplication();
  expect(await connect('deny')).toEqual({ status: 401, text: 'Unauthorized' });
});

test('passport-oauth2 refuses a callback with another state', async () => {
  const { connect } = await startApplication();
  const response = await connect('approve', ({ searchParams }) => searchParams.set('state', 'another'));
  expect(response).toEqual({ status: 403, text: 'Forbidden' });
});

test('passport-oauth2 reports a wrong secret', async () => {
  const { connect } = await startApplication('cs_wrong');
  expect(await connect()).toMatchObject({ name: 'TokenError', code: 'invalid_client' });
});
