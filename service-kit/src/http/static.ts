import { type RequestHandler, Router } from 'express';
import sirv from 'sirv';

/** Seconds for which browsers keep a file: its name changes with its content. */
const maxAge = 31_536_000;

/**
 * Serves the files of a directory, in the compressed form that lies beside each (`x.js.br`, `x.js.gz`) where the client
 * takes it. Looks at the directory once. Any other path is 404.
 * @param directory of files whose names change with their content
 */
export function serveFiles(directory: string): Router {
  const serve: RequestHandler = sirv(directory, { brotli: true, gzip: true, maxAge, immutable: true });
  return Router().use(prepareHeaders, surviveLostFiles, serve, (_req, res) => {
    res.status(404).set('Cache-Control', 'no-store').type('text').send('There is no such file.\n');
  });
}

/** Ranges are not served; the app's Cache-Control is for pages. */
const prepareHeaders: RequestHandler = (req, res, next) => {
  delete req.headers.range;
  res.removeHeader('Cache-Control');
  next();
};

/** sirv does not handle errors of its read streams: a file deleted after the start would end the process. */
const surviveLostFiles: RequestHandler = (_req, res, next) => {
  res.once('pipe', (file) => file.once('error', () => res.destroy()));
  next();
};
