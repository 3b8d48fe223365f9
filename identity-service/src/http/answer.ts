import type { Request, RequestHandler, Response } from 'express';
import { type Page, renderPage } from './pages/layout.ts';

/** What a page's handler decides. */
export type Answer =
  | {
      readonly page: Page;
      /** 200 where absent. */
      readonly status?: number;
      readonly headers?: Readonly<Record<string, string>>;
    }
  /** 303 to a path of ours. */
  | { readonly redirect: string };

/** Express's handler for a page. What `run` throws is answered by `renderError`. */
export function handle(run: (req: Request, res: Response) => Promise<Answer> | Answer): RequestHandler {
  return async (req, res) => {
    sendAnswer(res, await run(req, res));
  };
}

export function sendAnswer(res: Response, answer: Answer): void {
  if ('redirect' in answer) {
    res.redirect(303, answer.redirect);
    return;
  }
  const { page, status = 200, headers = {} } = answer;
  res.status(status).set(headers).type('html').send(renderPage(page, res.locals.session));
}
