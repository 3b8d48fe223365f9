import { Button, Progress, SimpleGrid, Stack, Text } from '@mantine/core';
import { IconCopyPlus, IconKeyOff, IconPencil } from '@tabler/icons-react';
import { type ReactNode, useState } from 'react';
import { Link, useLocation, useParams } from 'wouter';
import { ApiError } from '../../api/errors.ts';
import { formatNumber } from '../../components/format.ts';
import { LimitRequest } from '../../components/limit-request.tsx';
import { Panel } from '../../components/panel.tsx';
import { Row, Rows } from '../../components/rows.tsx';
import { EmptyState, Loaded } from '../../components/states.tsx';
import { Timestamp } from '../../components/timestamp.tsx';
import { ViewerNote } from '../../components/viewer-note.tsx';
import { BackLink, PageHeader } from '../../shell/page-header.tsx';
import { useBusiness, useMayChange } from '../../shell/session-context.ts';
import { type ApiKeyDetail, useApiKey } from './api.ts';
import { DeleteKeyDialog, RotateKeyDialog } from './dialogs.tsx';
import { EditKeyDialog } from './edit-key.tsx';
import { FreezeKeyPanel, FrozenKeyAlert } from './freeze.tsx';
import { KeyRequests, KeyUsage, secondKeyPath } from './key-cells.tsx';
import { KeyFacts } from './key-facts.tsx';
import { KeyScopes } from './key-scopes.tsx';
import { keptToOwners, useOwnKeyRules } from './member-rules.ts';
import { OldKeyStrings } from './old-key-strings.tsx';
import { SetLimit } from './set-limit.tsx';

/** Used share of the limit from which on the bar is yellow. */
const warningShare = 0.8;

/** Rate limit of a key in its rolling hour. */
function KeyLimit({ apiKey }: { readonly apiKey: ApiKeyDetail }) {
  const { id, rollingHour, grantedLimit } = apiKey;
  const { limit, used, left, observedAt } = rollingHour;
  const isOwner = useBusiness().role === 'owner';
  const part = used / limit;
  const color = left === 0 ? 'red' : part >= warningShare ? 'yellow' : 'accent';
  return (
    <Panel title="Rate limit" description={`${formatNumber(limit)} requests in any 60 minutes.`}>
      <div>
        <Text fw={600}>
          {formatNumber(left)} of {formatNumber(limit)} requests left
        </Text>
        <Progress
          value={Math.min(100, part * 100)}
          color={color}
          size="lg"
          mt="xs"
          aria-label={`${formatNumber(used)} of ${formatNumber(limit)} requests used`}
        />
        <Text size="sm" c="dimmed" mt="xs">
          {observedAt === null ? (
            'No requests in the last hour.'
          ) : (
            <>
              As of <Timestamp at={observedAt} />.
            </>
          )}
          {left === 0 &&
            ' Further requests are refused with status 429 until earlier ones are more than an hour old.'}
        </Text>
      </div>
      <Stack gap="xs" align="flex-start">
        {isOwner && <SetLimit apiKey={apiKey} />}
        <LimitRequest kind="rate_limit" subjectId={id} currentLimit={grantedLimit} />
      </Stack>
    </Panel>
  );
}

export default function KeyPage() {
  const { id = '' } = useParams();
  const query = useApiKey(id, { poll: true });
  if (query.error instanceof ApiError && query.error.status === 404) return <KeyNotFound />;
  return query.data === undefined ? (
    <>
      <PageHeader title="API key" back={<BackLink href="/settings/developers/keys">API Keys</BackLink>} />
      <Loaded query={query}>{() => null}</Loaded>
    </>
  ) : (
    <KeyView key={id} apiKey={query.data} />
  );
}

function KeyView({ apiKey }: { readonly apiKey: ApiKeyDetail }) {
  const [dialog, setDialog] = useState<'edit' | 'rotate' | 'delete'>();
  const [, navigate] = useLocation();
  const dialogProps = (name: typeof dialog) => ({
    apiKey,
    opened: dialog === name,
    onClose: () => setDialog(undefined),
  });
  const { id, name, description, status } = apiKey;
  const mayChange = useMayChange();
  return (
    <>
      <PageHeader
        title={name}
        description={description === '' ? undefined : description}
        back={<BackLink href="/settings/developers/keys">API Keys</BackLink>}
        actions={
          mayChange && (
            <>
              <Button
                component={Link}
                href={secondKeyPath(id)}
                variant="default"
                leftSection={<IconCopyPlus size={16} aria-hidden />}
              >
                Create a second key
              </Button>
              <Button
                variant="default"
                leftSection={<IconPencil size={16} aria-hidden />}
                onClick={() => setDialog('edit')}
              >
                Edit
              </Button>
            </>
          )
        }
      />
      <Stack gap="lg">
        <FrozenKeyAlert apiKey={apiKey} />
        <KeyFacts apiKey={apiKey} />
        <OldKeyStrings apiKeyId={id} />
        <KeyRequests apiKeyId={id} />
        <SimpleGrid cols={{ base: 1, md: 2 }} spacing="lg">
          {status === 'active' && <KeyLimit apiKey={apiKey} />}
          <KeyUsage apiKeyId={id} />
        </SimpleGrid>
        <KeyScopes apiKey={apiKey} />
        {mayChange && status === 'active' && <FreezeKeyPanel apiKey={apiKey} />}
        {mayChange ? (
          <KeyActions
            apiKey={apiKey}
            onRotate={() => setDialog('rotate')}
            onDelete={() => setDialog('delete')}
          />
        ) : (
          <ViewerNote>change, freeze, rotate or delete API keys</ViewerNote>
        )}
      </Stack>
      <EditKeyDialog {...dialogProps('edit')} />
      <RotateKeyDialog {...dialogProps('rotate')} />
      <DeleteKeyDialog
        {...dialogProps('delete')}
        onDeleted={() => navigate('/settings/developers/keys', { replace: true })}
      />
    </>
  );
}

function KeyNotFound() {
  return (
    <>
      <PageHeader
        title="Key not found"
        back={<BackLink href="/settings/developers/keys">API Keys</BackLink>}
      />
      <EmptyState icon={IconKeyOff} title="This key does not exist">
        It may have been deleted. The audit log shows who deleted it.
      </EmptyState>
    </>
  );
}

/** Rotation and deletion of a key. */
function KeyActions({
  apiKey,
  onRotate,
  onDelete,
}: {
  readonly apiKey: ApiKeyDetail;
  readonly onRotate: () => void;
  readonly onDelete: () => void;
}) {
  const isExpired = apiKey.status === 'expired';
  const kept = keptToOwners(useOwnKeyRules(), apiKey);
  return (
    <Panel title="Rotate or delete">
      <Rows isStacked>
        <KeyAction
          title="Rotate"
          text={rotationText(isExpired, kept)}
          button={
            <Button variant="default" onClick={onRotate} disabled={isExpired || kept !== undefined}>
              Rotate key
            </Button>
          }
        />
        <KeyAction
          title="Delete"
          text={
            isExpired
              ? 'Permanently removes the key from the list.'
              : 'Permanently deletes the key. Programs that use it lose access at once.'
          }
          button={
            <Button variant="outline" color="red" onClick={onDelete}>
              Delete key
            </Button>
          }
        />
      </Rows>
    </Panel>
  );
}

/** Effect of a rotation, or why the key cannot be rotated. */
function rotationText(isExpired: boolean, kept: string | undefined): string {
  if (isExpired) return 'An expired key cannot be rotated. Create a second key instead.';
  if (kept !== undefined) {
    return `Only owners can rotate ${kept}. An owner can allow it under Settings > Business.`;
  }
  return 'Replaces the key string, for example after a leak. The old string stops working at once.';
}

function KeyAction({
  title,
  text,
  button,
}: {
  readonly title: string;
  readonly text: string;
  readonly button: ReactNode;
}) {
  return (
    <Row end={button}>
      <Text size="sm" fw={600}>
        {title}
      </Text>
      <Text size="sm" c="dimmed">
        {text}
      </Text>
    </Row>
  );
}
