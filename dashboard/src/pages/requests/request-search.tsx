import { Button, Group, TextInput } from '@mantine/core';
import { IconSearch } from '@tabler/icons-react';
import { useState } from 'react';
import { useLocation } from 'wouter';
import classes from './requests.module.css';
import { findRequestId } from './requests.ts';

/** Opens a request by its X-Request-Id. */
export function RequestSearch() {
  const [text, setText] = useState('');
  const [error, setError] = useState<string>();
  const [, navigate] = useLocation();
  const find = () => {
    const id = findRequestId(text);
    if (id !== undefined) navigate(`/settings/developers/requests/${id}`);
    else setError('Enter a request ID such as 6f8d9bb2-6f0b-4b8e-9a52-7a9f0a4b4f60.');
  };
  return (
    <search>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          find();
        }}
      >
        <Group gap="sm" align="flex-start">
          <TextInput
            flex="1 1 16rem"
            maw="34rem"
            label="Find a request by ID"
            placeholder="6f8d9bb2-6f0b-4b8e-9a52-7a9f0a4b4f60"
            leftSection={<IconSearch size={16} aria-hidden />}
            value={text}
            error={error}
            autoComplete="off"
            autoCapitalize="none"
            spellCheck={false}
            onChange={(event) => {
              setText(event.currentTarget.value);
              setError(undefined);
            }}
          />
          <Button type="submit" variant="default" className={classes.find ?? ''}>
            Find
          </Button>
        </Group>
      </form>
    </search>
  );
}
