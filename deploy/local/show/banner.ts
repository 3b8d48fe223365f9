import { join } from 'node:path';
import type { DemoFile } from '../seed/demo-file.ts';
import type { RunFile } from '../start/run-file.ts';

export interface BannerFacts {
  readonly directory: string;
  readonly demo: DemoFile;
  readonly run: RunFile;
  /** Seconds from the start to the first answer. */
  readonly seconds: number;
}

/** What a newcomer needs next: the address, a request that works, a flow to try, and where things are. */
export function banner({ directory, demo, run, seconds }: BannerFacts): string {
  const at = (name: string) => join(directory, name);
  const { login, application } = demo;
  return `
Ready in ${seconds.toFixed(1)} s: ${demo.baseUrl}

  curl -i ${demo.baseUrl}/v2/businesses/me -H 'Authorization: Bearer ${demo.secretKey}'

  dashboard     ${demo.baseUrl}/dashboard
  log in with   ${login.email}  ${login.password}
  docs          ${demo.baseUrl}/docs
  try the flow  ${new URL(application.redirectUri).origin}  (OAuth: an application asks for access)

  demo keys   ${at('demo.json')}  (full access, business:read only, expired; the login; the application)
  mails       ${at('mail')}  (nothing is sent: every mail is a file there)
  logs        ${at('logs')}
  data        ${at('postgres')}  (remove ${directory} to begin anew)
  health      ${run.ops.gateway}/readyz and /metrics
  operators   npm run admin -- --help

Ctrl-C stops everything.
`;
}
