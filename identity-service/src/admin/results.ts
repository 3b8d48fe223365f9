import type { Propagation } from '../platform/credential-generations.ts';
import type { CommandResult } from './command.ts';
import { pendingNotice, propagationJson } from './output.ts';

/** A record as commands show it. */
interface RecordFormat<Shown> {
  readonly json: (record: Shown) => object;
  readonly text: (record: Shown) => string;
}

/** A new secret, shown once. */
interface NewSecret {
  /** Its name in `--json`. */
  readonly field: string;
  readonly value: string;
  /** As in `This key string is shown only now.` */
  readonly name: string;
}

interface RecordResult<Shown> {
  readonly record: Shown;
  /** Absent when nothing has to reach the gateways. */
  readonly propagation?: Propagation | undefined;
  /** The change, such as `revoked`, for the notice while gateways have not confirmed. */
  readonly done?: string | undefined;
  readonly secret?: NewSecret;
}

/** Result with a record, possibly after a change and with a new secret. */
export function recordResult<Shown>(
  format: RecordFormat<Shown>,
  { record, propagation, done = 'changed', secret }: RecordResult<Shown>,
): CommandResult {
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
