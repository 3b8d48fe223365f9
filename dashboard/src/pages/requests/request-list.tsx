import { Button, Group, Switch, Text } from '@mantine/core';
import { IconRefresh, IconTimelineEvent } from '@tabler/icons-react';
import { type FocusEvent, useMemo, useState } from 'react';
import { LoadMore } from '../../components/rows.tsx';
import { EmptyState, Loaded, NoResults } from '../../components/states.tsx';
import { isFiltered, type RequestFilter } from './filter.ts';
import { type RequestPage, rowsOf } from './log.ts';
import classes from './requests.module.css';
import { useNewest, useRequests } from './requests.ts';
import { RequestsTable } from './requests-table.tsx';

/** Requests, newest first; live on demand. */
export function RequestList({
  filter,
  onClear,
}: {
  readonly filter: RequestFilter;
  readonly onClear: () => void;
}) {
  const [isLive, setLive] = useState(false);
  const { isInUse, handlers } = useInUse();
  const list = useRequests(filter);
  const newest = useNewest(filter, { isLive: isLive && !isInUse && list.isSuccess });
  return (
    <>
      <Group gap="md" mb="sm" justify="flex-end">
        <Text size="xs" c="dimmed" role="status">
          {liveText({ isLive, isInUse, isLost: newest.isError })}
        </Text>
        <Switch label="Live" checked={isLive} onChange={(event) => setLive(event.currentTarget.checked)} />
        <Button
          variant="default"
          size="xs"
          leftSection={<IconRefresh size={16} aria-hidden />}
          loading={newest.isFetching && !isLive}
          onClick={() => void newest.refetch()}
        >
          Refresh
        </Button>
      </Group>
      <Loaded query={list}>
        {(pages) => (
          <>
            <div {...handlers}>
              <Rows pages={pages} added={newest.data ?? []} filter={filter} onClear={onClear} />
            </div>
            <LoadMore query={list} />
          </>
        )}
      </Loaded>
      <Text size="xs" c="dimmed" mt="md" className={classes.keys ?? ''}>
        <kbd>/</kbd> goes to the search, <kbd>↑</kbd> <kbd>↓</kbd> move between requests, <kbd>Enter</kbd>{' '}
        opens one.
      </Text>
    </>
  );
}

interface Live {
  readonly isLive: boolean;
  readonly isInUse: boolean;
  readonly isLost: boolean;
}

function liveText({ isLive, isInUse, isLost }: Live): string {
  if (!isLive) return '';
  if (isInUse) return 'Paused while you are in the list';
  return isLost ? 'No response: trying again' : 'New requests appear by themselves';
}

/** Whether the pointer or the focus is in the list: rows do not move then. */
function useInUse() {
  const [isPointed, setPointed] = useState(false);
  const [isFocused, setFocused] = useState(false);
  const handlers = {
    onPointerEnter: () => setPointed(true),
    onPointerLeave: () => setPointed(false),
    onFocus: () => setFocused(true),
    onBlur: ({ currentTarget, relatedTarget }: FocusEvent) =>
      setFocused(currentTarget.contains(relatedTarget)),
  };
  return { isInUse: isPointed || isFocused, handlers };
}

function Rows({
  pages,
  added,
  filter,
  onClear,
}: {
  readonly pages: readonly RequestPage[];
  readonly added: readonly string[];
  readonly filter: RequestFilter;
  readonly onClear: () => void;
}) {
  const rows = useMemo(() => rowsOf(pages), [pages]);
  const isEmpty = pages.every(({ requests }) => requests.length === 0);
  return (
    <>
      {rows.length > 0 && (
        <RequestsTable rows={rows} added={added} isWhole={pages.at(-1)?.nextCursor === null} />
      )}
      {isEmpty &&
        (isFiltered(filter) ? <NoResults text="No requests match." onClear={onClear} /> : <NoRequests />)}
    </>
  );
}

function NoRequests() {
  return (
    <EmptyState icon={IconTimelineEvent} title="No requests yet">
      Requests appear here seconds after they were made.
    </EmptyState>
  );
}
