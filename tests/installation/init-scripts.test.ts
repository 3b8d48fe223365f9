import { spawn, spawnSync } from 'node:child_process';
import { createPrivateKey, createPublicKey, X509Certificate } from 'node:crypto';
import {
  appendFileSync,
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';

/* init.sh of docker-compose.yml and of deploy/kubernetes, in a copy of what they read. */

const deploy = new URL('../../deploy/', import.meta.url).pathname;
const services = ['gateway', 'identity-service', 'business-service', 'webhook-service', 'canary'];
const folders = { docker: '.docker/secrets', kubernetes: 'deploy/kubernetes/overlays/local/generated' };
type Script = keyof typeof folders;
const scripts: Script[] = ['docker', 'kubernetes'];

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'init-'));
  cpSync(join(deploy, '../docker-compose.yml'), join(root, 'docker-compose.yml'));
  for (const folder of ['docker', 'backup', 'observability', 'kubernetes']) {
    cpSync(join(deploy, folder), join(root, 'deploy', folder), {
      recursive: true,
      filter: (source) => !source.endsWith('/generated') && !source.endsWith('.ts'),
    });
  }
});
afterEach(() => rmSync(root, { recursive: true }));

const path = (name: string) => join(root, name);
const read = (name: string) => readFileSync(path(name), 'utf8');
const secret = (name: string, script: Script = 'docker') => read(`${folders[script]}/${name}`);
const tlsOf = (script: Script) => (script === 'docker' ? '.docker/tls' : `${folders.kubernetes}/tls`);

/** Writes a file, and its folders. */
function write(name: string, content: string): void {
  mkdirSync(dirname(path(name)), { recursive: true });
  writeFileSync(path(name), content);
}

/** Runs an init.sh to its end. @param shims directory of programs that are found first */
function init(script: Script = 'docker', shims?: string) {
  const PATH = [...(shims === undefined ? [] : [shims]), process.env.PATH].join(':');
  const { status, stdout, stderr } = spawnSync('bash', [path(`deploy/${script}/init.sh`)], {
    encoding: 'utf8',
    env: { ...process.env, PATH },
  });
  return { status, stderr, ready: /^Ready: /m.test(stdout) };
}

const done = { status: 0, stderr: '', ready: true };

/** Errors of what an init.sh made: halves that do not match, and files that are not whole. */
function errorsOf(script: Script): string[] {
  const errors: string[] = [];
  const folder = path(folders[script]);
  const files = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isFile());
  for (const { name } of files) {
    if (name.endsWith('.part') || statSync(join(folder, name)).size === 0) errors.push(name);
  }
  const der = (name: string) => Buffer.from(secret(name, script), 'base64');
  const key = createPrivateKey({ key: der('PASSPORT_PRIVATE_KEY'), format: 'der', type: 'pkcs8' });
  const half = createPublicKey(key).export({ format: 'der', type: 'spki' });
  if (!half.equals(der('PASSPORT_PUBLIC_KEYS'))) errors.push('PASSPORT_PUBLIC_KEYS');
  const tls = tlsOf(script);
  const authority = new X509Certificate(read(`${tls}/authority/ca.pem`));
  for (const service of services) {
    const certificate = new X509Certificate(read(`${tls}/${service}/cert.pem`));
    const own = createPrivateKey(read(`${tls}/${service}/key.pem`));
    const isWhole = certificate.checkPrivateKey(own) && certificate.verify(authority.publicKey);
    const modes = readdirSync(path(`${tls}/${service}`)).map(
      (name) => statSync(path(`${tls}/${service}/${name}`)).mode & 0o777,
    );
    if (!isWhole || `${modes}` !== '420,420,420') errors.push(service);
  }
  return errors;
}

const commands = ['openssl', 'tr', 'ls', 'sed', 'tail', 'mkdir', 'touch', 'chmod', 'mv', 'cp', 'rm'];

/**
 * Runs an init.sh and kills it, with its children, as soon as an external command has ended for which a test of the shell is
 * true. `$count` is the number of the command, `$*` are its arguments. False when the script ended before.
 */
async function killed(script: Script, when: string): Promise<boolean> {
  const shims = path('shims');
  mkdirSync(shims, { recursive: true });
  write('count', '');
  for (const command of commands) {
    const real = spawnSync('sh', ['-c', `command -v ${command}`], { encoding: 'utf8' }).stdout.trim();
    const count = `printf x >>'${path('count')}'; count=$(wc -c <'${path('count')}')`;
    const lines = ['#!/bin/sh', `${real} "$@"`, 'status=$?', count, `if ${when}; then kill -9 0; fi`];
    writeFileSync(join(shims, command), `${lines.join('\n')}\nexit $status\n`, { mode: 0o755 });
  }
  const child = spawn('bash', [path(`deploy/${script}/init.sh`)], {
    // A process group of its own, which is what `kill -9 0` ends.
    detached: true,
    stdio: 'ignore',
    env: { ...process.env, PATH: `${shims}:${process.env.PATH}` },
  });
  return new Promise((resolve) => child.on('exit', (_, signal) => resolve(signal === 'SIGKILL')));
}

test.each(scripts)(
  'init.sh of %s creates complete files, and changes nothing when it runs again',
  (script) => {
    expect(init(script)).toEqual(done);
    expect(errorsOf(script)).toEqual([]);
    const all = () =>
      readdirSync(path(folders[script]), { withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map(({ name }) => secret(name, script));
    const before = [...all(), read(`${tlsOf(script)}/gateway/cert.pem`)];
    expect(init(script)).toEqual(done);
    expect([...all(), read(`${tlsOf(script)}/gateway/cert.pem`)]).toEqual(before);
  },
);

test.each(scripts)('init.sh of %s repairs what earlier runs that were killed have left', async (script) => {
  for (const nth of [9, 40, 25, 60]) {
    expect(await killed(script, `[ "$count" -ge ${nth} ]`)).toBe(true);
  }
  expect(init(script)).toEqual(done);
  expect(errorsOf(script)).toEqual([]);
});

/** Programs that are found first, by name with their text. Returns their directory. */
function shim(programs: Readonly<Record<string, string>>): string {
  for (const [name, text] of Object.entries(programs)) {
    write(`shims/${name}`, `#!/bin/sh\n${text}\n`);
    chmodSync(path(`shims/${name}`), 0o755);
  }
  return path('shims');
}

test.each(scripts)('init.sh of %s runs with the bash and the tools of macOS', (script) => {
  const refuse = (pattern: string, name: string) =>
    `case " $*" in *${pattern}*) echo "${name}: illegal option" >&2; exit 1 ;; esac; exec /usr/bin/${name} "$@"`;
  const shims = shim({
    base64: refuse("' -w'", 'base64'),
    find: refuse("'-perm /'", 'find'),
    sed: refuse("' -i '", 'sed'),
  });
  write('.env', 'KEY_PEPPERS=of-all-keys\n');
  expect(init(script, shims)).toEqual(done);
  expect(errorsOf(script)).toEqual([]);
  const later = /\$\{\w+(?:\^|,|@)|\b(?:mapfile|readarray|coproc)\b|(?:declare|local) -[An]|&>>|\|&/;
  for (const file of [`${script}/init.sh`, 'docker/secrets.sh', 'docker/certificate.sh']) {
    expect(read(`deploy/${file}`)).not.toMatch(later);
  }
});

test.each(scripts)('init.sh of %s refuses LibreSSL with a message', (script) => {
  const shims = shim({ openssl: 'echo LibreSSL 3.3.6' });
  const stderr = expect.stringContaining('OpenSSL is needed');
  expect(init(script, shims)).toEqual({ status: 1, ready: false, stderr });
});

test('a secret is removed from .env only once its file has it', async () => {
  write('.env', 'KEY_PEPPERS=of-all-keys\n');
  expect(await killed('docker', `case "$*" in *'env.part .env') true ;; *) false ;; esac`)).toBe(true);
  expect(secret('KEY_PEPPERS')).toBe('of-all-keys');
  rmSync(path(`${folders.docker}/KEY_PEPPERS`));
  write('.env', 'KEY_PEPPERS=of-all-keys\n');
  expect(await killed('docker', `case "$*" in *'/KEY_PEPPERS') true ;; *) false ;; esac`)).toBe(true);
  expect(init()).toEqual(done);
  expect(secret('KEY_PEPPERS')).toBe('of-all-keys');
  expect(read('.env')).not.toContain('KEY_PEPPERS');
});

test.each(scripts)(
  'init.sh of %s repairs what an interrupted run of an earlier version has left',
  (script) => {
    init(script);
    const tls = tlsOf(script);
    const passport = secret('PASSPORT_PRIVATE_KEY', script);
    rmSync(path(`${folders[script]}/PASSPORT_PUBLIC_KEYS`));
    write(`${folders[script]}/KEY_PEPPERS`, '');
    rmSync(path(`${tls}/gateway/cert.pem`));
    write(`${tls}/canary/cert.pem`, '');
    expect(init(script)).toEqual(done);
    expect(errorsOf(script)).toEqual([]);
    expect(secret('PASSPORT_PRIVATE_KEY', script)).toBe(passport);
    // An authority without its certificate, before it signed any.
    for (const service of services) rmSync(path(`${tls}/${service}`), { recursive: true });
    rmSync(path(`${tls}/authority/ca.pem`));
    expect(init(script)).toEqual(done);
    expect(errorsOf(script)).toEqual([]);
  },
);

test('an authority that has signed certificates is not replaced, and the message of openssl is shown', () => {
  init();
  rmSync(path('.docker/tls/canary'), { recursive: true });
  const key = read('.docker/tls/authority/key.pem');
  write('.docker/tls/authority/key.pem', 'no key');
  expect(init()).toMatchObject({ status: 1, ready: false, stderr: expect.stringContaining('key') });
  rmSync(path('.docker/tls/authority/key.pem'));
  expect(init()).toMatchObject({ status: 1, stderr: expect.stringContaining('put it back') });
  write('.docker/tls/authority/key.pem', key);
  expect(init()).toEqual(done);
  expect(errorsOf('docker')).toEqual([]);
});

test('.env is parsed as Compose parses it', () => {
  write(
    '.env',
    `ENCRYPTION_KEYS=\nKEY_PEPPERS="new,old"\nSMTP_URL='smtps://mail'\nSUPPORT_EMAIL=help@example.com`,
  );
  expect(init()).toEqual(done);
  expect(secret('KEY_PEPPERS')).toBe('new,old');
  expect(secret('SMTP_URL')).toBe('smtps://mail');
  expect(secret('ENCRYPTION_KEYS')).toMatch(/^\S{44}$/);
  expect(read('.env')).toBe(
    'ENCRYPTION_KEYS=\nSUPPORT_EMAIL=help@example.com\nSECRETS_DIR=./.docker/secrets\n',
  );
});

test('secrets are kept in the last SECRETS_DIR of .env', () => {
  init();
  const before = secret('REDIS_PASSWORD');
  cpSync(path(folders.docker), path('elsewhere'), { recursive: true });
  rmSync(path(folders.docker), { recursive: true });
  rmSync(path('elsewhere/GRAFANA_PASSWORD'));
  appendFileSync(path('.env'), 'SECRETS_DIR="./elsewhere"\n');
  expect(init()).toEqual(done);
  expect(existsSync(path(folders.docker))).toBe(false);
  expect(read('elsewhere/REDIS_PASSWORD')).toBe(before);
  expect(read('elsewhere/GRAFANA_PASSWORD')).not.toBe('');
  expect(read('elsewhere/PUBLIC_CERTIFICATE')).toContain(read('.docker/public-certificate.pem').trim());
});

test('a SECRETS_DIR elsewhere is closed to other users, or no secret is written to it', () => {
  write('.env', 'SECRETS_DIR=./elsewhere\n');
  mkdirSync(path('elsewhere'), { mode: 0o755 });
  chmodSync(path('elsewhere'), 0o755);
  // As on a file system without modes, and in a folder of another user.
  for (const [name, text] of [
    ['without-modes', 'exit 0'],
    ['not-ours', 'echo "Operation not permitted" >&2; exit 1'],
  ]) {
    const line = `#!/bin/sh\ncase "$*" in *elsewhere) ${text} ;; *) exec /bin/chmod "$@" ;; esac\n`;
    write(`${name}/chmod`, line);
    chmodSync(path(`${name}/chmod`), 0o755);
    const stderr = expect.stringContaining('elsewhere is open to other users');
    expect(init('docker', path(`${name}`))).toMatchObject({ status: 1, ready: false, stderr });
    expect(readdirSync(path('elsewhere'))).toEqual([]);
  }
  expect(init()).toEqual(done);
  expect(statSync(path('elsewhere')).mode & 0o777).toBe(0o700);
  expect(read('elsewhere/KEY_PEPPERS')).not.toBe('');
});

test('files that containers mount from the checkout are readable for their users, even with a strict umask', () => {
  const mounted = ['docker-compose.yml', 'deploy/backup/archive.yml'].flatMap((name) =>
    [...read(name).matchAll(/\.\/(deploy\/[^:}]+)\}?:/g)].map(([, mount = '']) => mount),
  );
  const all = mounted.flatMap((name) =>
    statSync(path(name)).isFile()
      ? [name]
      : [name, ...readdirSync(path(name)).map((file) => `${name}/${file}`)],
  );
  expect(all).toEqual(
    expect.arrayContaining(['deploy/backup/archive-wal.sh', 'deploy/docker/api/README.md']),
  );
  for (const name of all) chmodSync(path(name), statSync(path(name)).mode & 0o700);
  expect(init()).toEqual(done);
  const readable = (name: string) => {
    const mode = statSync(path(name)).mode;
    const needed = mode & 0o100 ? 0o555 : 0o444;
    return (mode & needed) === needed;
  };
  expect(all.filter((name) => !readable(name))).toEqual([]);
});
