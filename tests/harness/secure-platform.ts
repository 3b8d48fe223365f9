import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '../../deploy/local/process/free-port.ts';
import { publicCertificate } from './http2-client.ts';
import { type Platform, startPlatform } from './platform.ts';
import { runDirectory } from './run-directory.ts';

/** A platform that programs of integrators reach as in production: by https. */
export interface SecurePlatform extends Platform {
  /** Variables with which Node, Python and curl trust its certificate. */
  readonly trust: Readonly<Record<string, string>>;
}

/** Starts one whose second gateway ends TLS at the public address. The first one speaks http, for the harness. */
export async function startSecurePlatform(): Promise<SecurePlatform> {
  const port = await freePort();
  const { ca, env } = publicCertificate();
  const caFile = join(runDirectory().newDirectory('public-ca'), 'ca.pem');
  writeFileSync(caFile, ca);
  const publicUrl = `https://127.0.0.1:${port}`;
  const platform = await startPlatform({
    gateways: 2,
    gatewayEnv: (index) => ({ PUBLIC_URL: publicUrl, ...(index === 1 && { ...env, PORT: String(port) }) }),
    identityEnv: { PUBLIC_URL: publicUrl },
  });
  const trust = { NODE_EXTRA_CA_CERTS: caFile, REQUESTS_CA_BUNDLE: caFile, CURL_CA_BUNDLE: caFile };
  return { ...platform, publicUrl, trust };
}
