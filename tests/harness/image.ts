import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, renameSync, statSync } from 'node:fs';
import { basename, dirname, join, matchesGlob, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The files of an image, built from the Dockerfile without a Docker engine. */
export interface Image {
  /** The image's `/`; its base image is not part of it. */
  readonly root: string;
  readonly workingDirectory: string;
  /** Variables that ENV sets. */
  readonly env: Readonly<Record<string, string>>;
  readonly command: readonly string[];
}

interface Stage {
  readonly base: string;
  readonly name: string | undefined;
  readonly steps: readonly Instruction[];
}

interface Instruction {
  readonly keyword: string;
  readonly rest: string;
}

const emptyImage: Image = { root: '', workingDirectory: '/', env: {}, command: [] };
const context = fileURLToPath(new URL('../../', import.meta.url));
const dockerfile = join(context, 'deploy/docker/Dockerfile');
/** Variables of this process with which npm reaches its registry and its cache. */
const inherited =
  /^(PATH|HOME|TMPDIR|(https?|no)_proxy|npm_config_(registry|cache|userconfig|globalconfig|cafile)|NODE_EXTRA_CA_CERTS|SSL_CERT_FILE)$/i;

/**
 * Builds images of the Dockerfile below `directory`, running its own RUN lines with this Node. A stage that does not
 * depend on the service is built once.
 */
export function imageBuilder(directory: string): (service: string) => Image {
  const stages = parse(readFileSync(dockerfile, 'utf8'));
  const built = new Map<string, Image>();

  function build(stage: Stage, service: string): Image {
    const key = dependsOnService(stage) ? `${stage.name ?? 'image'}-${service}` : String(stage.name);
    const image = built.get(key) ?? run(stage, service, join(directory, key));
    built.set(key, image);
    return image;
  }

  const stageNamed = (name: string) => stages.find((stage) => stage.name === name);

  function dependsOnService({ base, steps }: Stage): boolean {
    if (base.includes('$') || steps.some(({ keyword }) => keyword === 'ARG')) return true;
    const below = stageNamed(base);
    return below !== undefined && dependsOnService(below);
  }

  function run(stage: Stage, service: string, root: string): Image {
    const resolved = (text: string) => text.replaceAll('$SERVICE', service);
    let image: Image = { ...inherit(stageNamed(resolved(stage.base)), service, root), root };
    const rootOf = (name: string) => {
      const from = stageNamed(name);
      if (from === undefined) throw new Error(`The Dockerfile copies from ${name}, which is no stage of it.`);
      return build(from, service).root;
    };
    for (const { keyword, rest } of stage.steps) {
      // The command is the shell's, which knows SERVICE from ENV.
      image = execute(image, keyword, keyword === 'CMD' ? rest : resolved(rest), rootOf);
    }
    return image;
  }

  /** Stages of one service follow one another, so their files move on; shared ones are copied. */
  function inherit(base: Stage | undefined, service: string, root: string): Image {
    const below = base === undefined ? emptyImage : build(base, service);
    if (base === undefined) mkdirSync(root, { recursive: true });
    else if (dependsOnService(base)) renameSync(below.root, root);
    else cpSync(below.root, root, { recursive: true, verbatimSymlinks: true });
    return below;
  }

  const last = stages.at(-1);
  if (last === undefined) throw new Error('The Dockerfile has no stage.');
  return (service) => build(last, service);
}

function parse(text: string): Stage[] {
  const lines = text
    .replaceAll(/^#.*\n/gm, '')
    .replaceAll('\\\n', ' ')
    .split('\n');
  const stages: { base: string; name: string | undefined; steps: Instruction[] }[] = [];
  for (const line of lines) {
    const [, keyword = '', rest = ''] = /^([A-Z]+) +(.*)$/.exec(line) ?? [];
    const [, base = '', name] = keyword === 'FROM' ? (/^(\S+)(?: AS (\S+))?$/.exec(rest) ?? []) : [];
    if (keyword === 'FROM') stages.push({ base, name, steps: [] });
    else if (keyword !== '') stages.at(-1)?.steps.push({ keyword, rest });
  }
  return stages;
}

function execute(image: Image, keyword: string, rest: string, rootOf: (stage: string) => string): Image {
  const inside = (path: string) => join(image.root, path.startsWith('/') ? '' : image.workingDirectory, path);
  switch (keyword) {
    case 'WORKDIR':
      mkdirSync(join(image.root, rest), { recursive: true });
      return { ...image, workingDirectory: rest };
    case 'ENV': {
      const pairs = rest.split(' ').map((pair) => pair.split('='));
      return { ...image, env: { ...image.env, ...Object.fromEntries(pairs) } };
    }
    case 'COPY':
      copy(rest, inside, rootOf);
      return image;
    case 'RUN':
      execFileSync('sh', ['-c', rest], {
        cwd: inside('.'),
        env: { ...npmEnv(), ...image.env },
        stdio: 'pipe',
      });
      return image;
    case 'CMD':
      return { ...image, command: JSON.parse(rest) };
    case 'ARG':
    case 'USER':
      return image;
    default:
      throw new Error(`The Dockerfile has a line that this harness does not know: ${keyword} ${rest}`);
  }
}

function copy(rest: string, inside: (path: string) => string, rootOf: (stage: string) => string): void {
  const [, stage, paths = ''] = /^(?:--from=(\S+) )?(.*)$/.exec(rest) ?? [];
  const sources = paths.split(' ');
  const target = sources.pop() ?? '';
  for (const source of sources) {
    const from = stage === undefined ? join(context, source) : join(rootOf(stage), source);
    const isDirectory = statSync(from).isDirectory();
    const to = isDirectory || !target.endsWith('/') ? inside(target) : inside(join(target, basename(source)));
    mkdirSync(dirname(to), { recursive: true });
    cpSync(from, to, {
      recursive: true,
      verbatimSymlinks: true,
      filter: (path) => stage !== undefined || !isIgnored(relative(context, path)),
    });
  }
}

const ignored = readFileSync(join(context, '.dockerignore'), 'utf8').split('\n').filter(Boolean);

/** .dockerignore, as far as this project uses it: names and globs, of folders as a whole. */
function isIgnored(path: string): boolean {
  return ignored.some((pattern) => matchesGlob(path, pattern));
}

function npmEnv(): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(([name]) => inherited.test(name));
  const path = `${dirname(process.execPath)}:${process.env.PATH}`;
  return { ...Object.fromEntries(kept), PATH: path, npm_config_prefer_offline: 'true' };
}
