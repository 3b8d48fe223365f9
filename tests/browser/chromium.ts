import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  chromium,
  type Page,
} from 'playwright-core';

const flags = [
  // Tests run as root as well, where Chromium has no sandbox.
  '--no-sandbox',
  '--disable-gpu',
  '--disable-background-networking',
  '--disable-component-update',
];

/** Milliseconds that anything on a page may take. */
const timeoutMs = 60_000;

/** The machine's Chromium, without a window. */
export function launchChromium(): Promise<Browser> {
  return chromium.launch({ executablePath: process.env.CHROMIUM ?? 'chromium', args: flags });
}

/** A browser of one person, with its own cookies. */
export interface Window {
  readonly context: BrowserContext;
  readonly page: Page;
  /** Errors that the browser reports, such as violations of a Content-Security-Policy. */
  readonly problems: readonly string[];
}

const openPages = new Set<Page>();

/** Address and content of each open page, for the output of a failed test. */
async function describeOpenPages(): Promise<string> {
  const texts = [...openPages].map(async (page) => {
    const text = await page.locator('body').ariaSnapshot({ timeout: 5_000 }).catch(String);
    return `${page.url()}\n${text}`;
  });
  return (await Promise.all(texts)).join('\n\n');
}
Reflect.set(globalThis, 'describeOpenPages', describeOpenPages);

export async function openWindow(browser: Browser, options: BrowserContextOptions = {}): Promise<Window> {
  const context = await browser.newContext(options);
  context.setDefaultTimeout(timeoutMs);
  const problems: string[] = [];
  context.on('console', (message) => {
    const isComplaint = ['error', 'warning'].includes(message.type());
    // Pages with a refusal have such a status, and the browser logs it.
    const isRefusal = message
      .text()
      .startsWith('Failed to load resource: the server responded with a status of 4');
    if (isComplaint && !isRefusal) problems.push(message.text());
  });
  context.on('weberror', (error) => problems.push(String(error.error())));
  context.on('page', (page) => {
    openPages.add(page);
    page.once('close', () => openPages.delete(page));
  });
  return { context, page: await context.newPage(), problems };
}
