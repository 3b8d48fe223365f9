import { Alert, Button, Checkbox, Code, Group, ScrollArea, Stack, Text } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { ConfirmDialog, type ConfirmDialogProps } from '../../components/dialog.tsx';
import { Loaded } from '../../components/states.tsx';
import { Timestamp } from '../../components/timestamp.tsx';
import { headings, type Leftover, lastOnes, useLeftovers } from './leftovers.ts';
import type { Role } from './team.ts';

/** Choice of what stays. */
interface Keeping {
  /** Identifiers of leftovers that stay. */
  readonly kept: readonly string[];
  readonly onKeep: (kept: readonly string[]) => void;
}

/** Confirms that a person loses rights, with a choice of what the person made that ends as well. */
export function LossDialog({
  personId,
  role,
  loses = true,
  kept,
  onKeep,
  children,
  ...dialog
}: Omit<ConfirmDialogProps, 'wide'> &
  Keeping & {
    readonly personId: string;
    /** The other role; undefined for a removal. */
    readonly role?: Role | undefined;
    /** Whether the person loses rights; nothing is listed otherwise. */
    readonly loses?: boolean;
    readonly children: ReactNode;
  }) {
  const query = useLeftovers({ personId, role }, dialog.opened && loses);
  // Disabled until the list is loaded, because otherwise all leftovers would end unseen.
  const isUnseen = loses && query.data === undefined;
  return (
    <ConfirmDialog {...dialog} wide disabled={dialog.disabled === true || isUnseen}>
      {children}
      {loses && (
        <Loaded query={query}>
          {({ leftovers, endpointsKnown }) => (
            <Stack gap="sm">
              {leftovers.length === 0 ? (
                <Text size="sm">{nothingLeft(role)}</Text>
              ) : (
                <LeftoverList leftovers={leftovers} kept={kept} onKeep={onKeep} />
              )}
              {!endpointsKnown && (
                <Text size="sm" c="dimmed">
                  The webhook service is not responding, so endpoints of this person are not listed. Look for
                  them under Webhooks later.
                </Text>
              )}
            </Stack>
          )}
        </Loaded>
      )}
    </ConfirmDialog>
  );
}

/** A developer loses keys alone. */
function nothingLeft(role: Role | undefined): string {
  return role === 'developer'
    ? 'This person has no key beyond what developers may have. Everything else stays.'
    : 'Nothing that this person made, and no key that this person has seen, still works.';
}

function LeftoverList({ leftovers, kept, onKeep }: Keeping & { readonly leftovers: readonly Leftover[] }) {
  const ending = leftovers.filter(({ id }) => !kept.includes(id));
  const ends = (kind: Leftover['kind']) => ending.some((leftover) => leftover.kind === kind);
  const toggle = (id: string) =>
    onKeep(kept.includes(id) ? kept.filter((other) => other !== id) : [...kept, id]);
  return (
    <>
      <Group justify="space-between" align="center">
        <Text size="sm" fw={600}>
          What you select ends at the same moment ({ending.length} of {leftovers.length})
        </Text>
        <Button
          size="compact-sm"
          variant="subtle"
          onClick={() => onKeep(kept.length > 0 ? [] : leftovers.map(({ id }) => id))}
        >
          {kept.length > 0 ? 'Select all' : 'Select none'}
        </Button>
      </Group>
      <ScrollArea.Autosize mah={320} type="auto">
        <Stack gap="md">
          {headings.map(([kind, heading]) => {
            const ofKind = leftovers.filter((leftover) => leftover.kind === kind);
            return ofKind.length === 0 ? null : (
              <Stack key={kind} gap="xs" role="group" aria-label={heading}>
                <Text size="sm" c="dimmed">
                  {heading}
                </Text>
                {ofKind.map((leftover) => (
                  <Checkbox
                    key={leftover.id}
                    checked={!kept.includes(leftover.id)}
                    onChange={() => toggle(leftover.id)}
                    label={<Code fz="sm">{leftover.label}</Code>}
                    description={<Facts leftover={leftover} />}
                    styles={{ labelWrapper: { minWidth: 0, overflowWrap: 'anywhere' } }}
                  />
                ))}
              </Stack>
            );
          })}
        </Stack>
      </ScrollArea.Autosize>
      <Consequences leftovers={leftovers} ending={ending} ends={ends} />
    </>
  );
}

/** Application, age and last use of a leftover. */
function Facts({ leftover: { kind, application, madeAt, lastUsedAt } }: { readonly leftover: Leftover }) {
  const isUsed = !['redirect_uri', 'ip_address', 'allowed_origin'].includes(kind);
  return (
    <>
      {application !== null && `${application.name} · `}since <Timestamp at={madeAt} format="date" />
      {isUsed && (
        <>
          {' · '}last used <Timestamp at={lastUsedAt} absent="never" />
        </>
      )}
    </>
  );
}

function Consequences({
  leftovers,
  ending,
  ends,
}: {
  readonly leftovers: readonly Leftover[];
  readonly ending: readonly Leftover[];
  readonly ends: (kind: Leftover['kind']) => boolean;
}) {
  const warnings = lastOnes(leftovers, ending);
  return (
    <>
      {ends('api_key') && (
        <Text size="sm">
          A key that ends keeps its settings. Rotate it to get a new string for the programs that use it.
        </Text>
      )}
      {ends('client_secret') && (
        <Text size="sm">The access tokens of an app end with its client secret; connections stay.</Text>
      )}
      {warnings.length > 0 && (
        <Alert color="yellow" p="sm" icon={<IconAlertTriangle />} role="status">
          {warnings.map((warning) => (
            <Text key={warning} size="sm">
              {warning}
            </Text>
          ))}
        </Alert>
      )}
      {ending.length < leftovers.length && (
        <Text size="sm">
          What you do not select keeps working, and this person may still know it or receive its data.
        </Text>
      )}
    </>
  );
}
