import { Text } from '@mantine/core';
import { type OldString, useOldStrings } from '../../api/old-strings.ts';
import { pluralize } from '../../components/format.ts';
import { OldStringList, OldStringsPanel } from '../../components/old-strings.tsx';
import classes from './keys.module.css';

const isOf =
  (apiKeyId: string) =>
  ({ limitId }: OldString): boolean =>
    limitId === apiKeyId;

/** On the page of a key: calls with its old strings. */
export function OldKeyStrings({ apiKeyId }: { readonly apiKeyId: string }) {
  return (
    <OldStringsPanel
      title="Calls with old strings"
      description="A program still uses a string from before a rotation, and is refused. Give it the current one."
      includes={isOf(apiKeyId)}
    />
  );
}

/** Below the list of keys: calls with deleted ones. */
export function DeletedKeyStrings() {
  return (
    <OldStringsPanel
      title="Calls with deleted keys"
      description="A program sent a key that was deleted, and was refused. Give it another key, or stop it."
      includes={({ caller }) => caller.kind === 'api_key' && !caller.exists}
      named
    />
  );
}

const dayMs = 86_400_000;

/** In the row of a key: how many calls came with its old strings; nothing without a call in the last 24 hours. */
export function OldStringNote({ apiKeyId }: { readonly apiKeyId: string }) {
  const { data = [] } = useOldStrings();
  const isRecent = ({ lastCallAt }: OldString) => Date.now() - Date.parse(lastCallAt) < dayMs;
  const used = data.filter(isOf(apiKeyId)).filter(isRecent);
  const calls = used.reduce((sum, each) => sum + each.calls, 0);
  if (calls === 0) return null;
  return (
    <Text size="xs" c="var(--mantine-color-yellow-light-color)" fw={600}>
      Old string still in use: {pluralize(calls, 'refused call')}
    </Text>
  );
}

/** Milliseconds between polls right after a rotation. */
const rotatedPollMs = 2_000;

/** In the dialog that rotates a key: what still calls with an old string. @param isRotated waits for the first call */
export function OldStringsInDialog({
  apiKeyId,
  isRotated,
}: {
  readonly apiKeyId: string;
  readonly isRotated: boolean;
}) {
  const { data } = useOldStrings(isRotated ? { everyMs: rotatedPollMs } : {});
  const chosen = data?.filter(isOf(apiKeyId)) ?? [];
  if (chosen.length === 0 && !isRotated) return null;
  return (
    <section className={classes.usage} aria-label="Calls with old strings of this key" aria-live="polite">
      <Text size="sm" fw={500} mb={4}>
        Calls with old strings of this key
      </Text>
      {chosen.length === 0 ? (
        <Text size="sm" c="dimmed">
          None so far. They appear here within seconds.
        </Text>
      ) : (
        <OldStringList oldStrings={chosen} isLinked={false} />
      )}
    </section>
  );
}
