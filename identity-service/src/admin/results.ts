import type { Propagation } from '@platform/protos/identity';
import type { CommandResult } from './command.ts';
import { pendingNotice, propagationJson, requireMessage } from './output.ts';

/** A record as commands show it. */
interface RecordFormat<Message> {
  readonly json: (message: Message) => object;
  readonly text: (message: Message) => string;
}

/** A new secret, shown once. */
interface NewSecret {
  /** Its name in `--json`. */
  readonly field: string;
  readonly value: string;
  /** As in `This key string is shown only now.` */
  readonly name: string;
}

interface RecordResult<Message> {
  readonly message: Message | null;
  /** Absent when nothing has to reach the gateways. */
  readonly propagation: Propagation | undefined;
  /** The change, such as `revoked`, for the notice while gateways have not confirmed. */
  readonly done?: string;
  readonly secret?: NewSecret;
}

/** Result with a record, possibly after a change and with a new secret. */
export function recordResult<Message>(
  format: RecordFormat<Message>,
  { message, propagation, done = 'changed', secret }: RecordResult<Message>,
): CommandResult {
  const record = requireMessage(message);
  const shown = secret && `\n${secret.value}\n\nThis ${secret.name} is shown only now. Store it securely.\n`;
  return {
    json: {
      ...format.json(record),
      ...(secret && { [secret.field]: secret.value }),
      ...propagationJson(propagation),
    },
    text: format.text(record) + (shown ?? ''),
    pending: pendingNotice(done, propagation),
  };
}

/** Result of a deletion. */
export function deletionResult(id: string, propagation: Propagation): CommandResult {
  return {
    json: { id, deleted: true, ...propagationJson(propagation) },
    text: `${id} is deleted.\n`,
    pending: pendingNotice('revoked', propagation),
  };
}
