import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { startUpstream } from './upstream.ts';

const identifier = 'f9525bf080f75b3506ca1ead061add62b8633a346606dc5fe544e29231c6ee0d';

const newKeys = () => generateKeyPairSync('ec', { namedCurve: 'prime256v1' });

const { publicKey, privateKey } = newKeys();

/** A key that GitHub does not publish. */
export const foreignKey = newKeys().privateKey;

interface Signature {
  /** Of what is signed; the body where absent. */
  readonly signed?: string;
  readonly key?: KeyObject;
  readonly name?: string;
}

/** A report as GitHub's secret scanning sends it. */
export function githubReport(
  body: string,
  { signed = body, key = privateKey, name = identifier }: Signature = {},
) {
  return {
    body,
    headers: {
      'Content-Type': 'application/json',
      'Github-Public-Key-Identifier': name,
      'Github-Public-Key-Signature': sign('sha256', Buffer.from(signed), key).toString('base64'),
    },
  };
}

/** In the place of api.github.com: publishes the key of `githubReport`. */
export async function startGithub() {
  let fetched = 0;
  const upstream = await startUpstream((_, res) => {
    fetched++;
    const key = publicKey.export({ type: 'spki', format: 'pem' });
    res.end(JSON.stringify({ public_keys: [{ key_identifier: identifier, key, is_current: true }] }));
  });
  return {
    ...upstream,
    identityEnv: { GITHUB_SECRET_SCANNING_KEYS_URL: `${upstream.origin}/meta/public_keys/secret_scanning` },
    /** How often the keys were fetched. */
    fetched: () => fetched,
  };
}
