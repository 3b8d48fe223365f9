import { Button, SimpleGrid, Stack } from '@mantine/core';
import { IconCopyPlus, IconKeyOff, IconPencil } from '@tabler/icons-react';
import { useState } from 'react';
import { Link, useParams } from 'wouter';
import { ApiError } from '../../api/api-error.ts';
import { BackLink } from '../../parts/back-link.tsx';
import { EmptyState } from '../../parts/empty-state.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { PageHeader } from '../../parts/page-header.tsx';
import { type ApiKeyDetail, useApiKey } from './api-keys.ts';
import { DeleteKeyDialog } from './delete-key-dialog.tsx';
import { EditKeyDialog } from './edit-key-dialog.tsx';
import { KeyActions } from './key-actions.tsx';
import { KeyFacts } from './key-facts.tsx';
import { KeyLimit } from './key-limit.tsx';
import { KeyPlaces } from './key-places.tsx';
import { KeyScopes } from './key-scopes.tsx';
import { KeyUsage } from './key-usage.tsx';
import { RotateKeyDialog } from './rotate-key-dialog.tsx';
import { secondKeyPath } from './second-key-link.tsx';

export default function KeyPage() {
  const { id = '' } = useParams();
  const query = useApiKey(id, { watch: true });
  if (query.error instanceof ApiError && query.error.status === 404) return <KeyGone />;
  return query.data === undefined ? (
    <>
      <PageHeader title="API key" back={<BackLink href="/developers/keys">API keys</BackLink>} />
      <Loaded query={query}>{() => null}</Loaded>
    </>
  ) : (
    <KeyView key={id} apiKey={query.data} />
  );
}

function KeyView({ apiKey }: { readonly apiKey: ApiKeyDetail }) {
  const [dialog, setDialog] = useState<'edit' | 'rotate' | 'delete'>();
  const dialogOf = (name: typeof dialog) => ({
    apiKey,
    opened: dialog === name,
    onClose: () => setDialog(undefined),
  });
  const { id, name, description, status, rollingHour } = apiKey;
  return (
    <>
      <PageHeader
        title={name}
        description={description === '' ? undefined : description}
        back={<BackLink href="/developers/keys">API keys</BackLink>}
        actions={
          <>
            <Button
              component={Link}
              href={secondKeyPath(id)}
              variant="default"
              leftSection={<IconCopyPlus size={16} aria-hidden />}
            >
              Make a second key
            </Button>
            <Button
              variant="default"
              leftSection={<IconPencil size={16} aria-hidden />}
              onClick={() => setDialog('edit')}
            >
              Edit
            </Button>
          </>
        }
      />
      <Stack gap="lg">
        <KeyFacts apiKey={apiKey} />
        <KeyUsage apiKeyId={id} />
        <SimpleGrid cols={{ base: 1, md: 2 }} spacing="lg">
          {status === 'active' && <KeyLimit rollingHour={rollingHour} />}
          <KeyPlaces apiKeyId={id} />
        </SimpleGrid>
        <KeyScopes apiKey={apiKey} />
        <KeyActions
          apiKey={apiKey}
          onRotate={() => setDialog('rotate')}
          onDelete={() => setDialog('delete')}
        />
      </Stack>
      <EditKeyDialog {...dialogOf('edit')} />
      <RotateKeyDialog {...dialogOf('rotate')} />
      <DeleteKeyDialog {...dialogOf('delete')} />
    </>
  );
}

function KeyGone() {
  return (
    <>
      <PageHeader title="Key not found" back={<BackLink href="/developers/keys">API keys</BackLink>} />
      <EmptyState icon={IconKeyOff} title="There is no such key">
        It may have been deleted. The audit log says by whom.
      </EmptyState>
    </>
  );
}
