import type { Propagate, Propagation } from '../generations/propagation.ts';
import type { Application } from './application.ts';
import type { ApplicationStore } from './application-store.ts';

export interface ChangeApplicationDeps {
  readonly applications: ApplicationStore;
  readonly propagate: Propagate;
}

/** An application after a change, and whether every gateway knows. */
export interface ChangedApplication {
  readonly application: Application;
  readonly propagation: Propagation;
}
