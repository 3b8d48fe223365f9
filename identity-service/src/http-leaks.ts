import type { Router } from 'express';
import { selfRevokeEndpoint } from './credentials/api-keys/self-revoke-endpoint.ts';
import type { Accounts } from './http-accounts.ts';
import { createGithubKeys } from './leaks/github-keys.ts';
import { leaksEndpoint } from './leaks/http.ts';

/** The endpoints for credentials that leaked. */
export function createLeakEndpoints(parts: Accounts): readonly Router[] {
  const { config, logger } = parts;
  const { GITHUB_SECRET_SCANNING_KEYS_URL: url, CREDENTIAL_TAG_KEYS: tagKeys, DOCS_URL: docsUrl } = config;
  const monotonicNow = () => performance.now();
  const githubKeys = url === undefined ? undefined : createGithubKeys({ url, monotonicNow, logger });
  const deps = { ...parts, tagKeys, docsUrl };
  return [selfRevokeEndpoint(deps), leaksEndpoint({ ...deps, githubKeys })];
}
