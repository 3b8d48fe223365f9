import { Button, CloseButton, Group, TextInput } from '@mantine/core';
import { useHotkeys } from '@mantine/hooks';
import { IconSearch } from '@tabler/icons-react';
import { useRef, useState } from 'react';
import { useLocation } from 'wouter';
import { findRequestId } from './filter.ts';
import classes from './requests.module.css';

/** Opens the request whose X-Request-Id is entered, or searches for another text. `/` goes to its field. */
export function RequestSearch({
  text = '',
  onSearch,
}: {
  /** Text of the current search. */
  readonly text?: string | undefined;
  readonly onSearch: (text: string) => void;
}) {
  const [typed, setTyped] = useState(text);
  const [searched, setSearched] = useState(text);
  if (searched !== text) {
    setSearched(text);
    setTyped(text);
  }
  const field = useRef<HTMLInputElement>(null);
  const [, navigate] = useLocation();
  useHotkeys([['/', () => field.current?.focus()]]);
  const search = (wanted: string) => {
    const id = findRequestId(wanted);
    if (id === undefined) onSearch(wanted);
    else navigate(`/settings/developers/requests/${id}`);
  };
  return (
    <search>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          search(typed);
        }}
      >
        <Group gap="sm" align="flex-start">
          <TextInput
            ref={field}
            flex="1 1 16rem"
            maw="34rem"
            label="Find requests"
            placeholder="Request ID, order ID, IP address or text"
            aria-keyshortcuts="/"
            leftSection={<IconSearch size={16} aria-hidden />}
            rightSection={
              typed !== '' && (
                <CloseButton
                  size="sm"
                  aria-label="Clear search"
                  onClick={() => {
                    setTyped('');
                    onSearch('');
                    field.current?.focus();
                  }}
                />
              )
            }
            value={typed}
            maxLength={200}
            autoComplete="off"
            autoCapitalize="none"
            spellCheck={false}
            onChange={(event) => setTyped(event.currentTarget.value)}
          />
          <Button type="submit" variant="default" className={classes.find ?? ''}>
            Find
          </Button>
        </Group>
      </form>
    </search>
  );
}
