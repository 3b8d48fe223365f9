import type { ApplicationMessage, Propagation } from '@platform/protos/identity';
import { applicationJson, applicationRecord } from './application-view.ts';
import type { Answer } from './command-action.ts';
import { present } from './present.ts';
import { pendingNotice, propagationJson } from './propagation-answer.ts';

/** An application whose secret is handed out, for the only time. */
export function answerWithClientSecret(answer: {
  readonly application: ApplicationMessage | null;
  readonly clientSecret: string;
  readonly propagation?: Propagation;
}): Answer {
  const { clientSecret, propagation } = answer;
  const application = present(answer.application);
  return {
    json: { ...applicationJson(application), clientSecret, ...propagationJson(propagation) },
    text: `${applicationRecord(application)}\n${clientSecret}\n\nThis client secret is shown only now. Store it where secrets are kept.\n`,
    pending: pendingNotice('changed', propagation),
  };
}

/** An application, perhaps after a change. */
export function answerWithApplication(answer: {
  readonly application: ApplicationMessage | null;
  readonly propagation?: Propagation;
}): Answer {
  const application = present(answer.application);
  return {
    json: { ...applicationJson(application), ...propagationJson(answer.propagation) },
    text: applicationRecord(application),
    pending: pendingNotice('changed', answer.propagation),
  };
}
