import type { Page } from 'playwright-core';
import type { Platform } from '../../harness/platform.ts';
import type { CallbackApplication } from '../callback-application.ts';

/** A visit to every page that people can get to see. */
export interface Tour {
  readonly platform: Platform;
  /** In a browser whose base URL is the platform's. */
  readonly page: Page;
  readonly shop: CallbackApplication;
  /** Called at each page, under a name of its own. */
  look(name: string): Promise<void>;
}

/** The person of the tour. */
export const visitor = {
  email: 'ada@people.test',
  name: 'Ada Lovelace',
  password: 'seven brass wheels turning',
  nextPassword: 'a loom that weaves algebra',
  businessName: 'Analytical Engines',
  username: 'engines',
} as const;
