import type { ApiKeyMessage, Propagation } from '@platform/protos/identity';
import type { Answer } from './command-action.ts';
import { keyJson, keyRecord } from './key-view.ts';
import { present } from './present.ts';
import { pendingNotice, propagationJson } from './propagation-answer.ts';

/** A key whose string is handed out, for the only time. */
export function answerWithKeyString(answer: {
  readonly apiKey: ApiKeyMessage | null;
  readonly keyString: string;
  readonly propagation?: Propagation;
}): Answer {
  const key = present(answer.apiKey);
  return {
    json: { ...keyJson(key), keyString: answer.keyString, ...propagationJson(answer.propagation) },
    text: `${keyRecord(key)}\n${answer.keyString}\n\nThis key string is shown only now. Store it where secrets are kept.\n`,
    pending: pendingNotice('revoked', answer.propagation),
  };
}

/** A key after a change. */
export function answerWithKey(answer: {
  readonly apiKey: ApiKeyMessage | null;
  readonly propagation?: Propagation;
}): Answer {
  const key = present(answer.apiKey);
  return {
    json: { ...keyJson(key), ...propagationJson(answer.propagation) },
    text: keyRecord(key),
    pending: pendingNotice('changed', answer.propagation),
  };
}

/** A key that is gone. */
export function answerWithDeletion(id: string, propagation: Propagation): Answer {
  return {
    json: { id, deleted: true, ...propagationJson(propagation) },
    text: `${id} is deleted.\n`,
    pending: pendingNotice('revoked', propagation),
  };
}
