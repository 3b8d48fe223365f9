import { ActionIcon, Button, Group, Input, Stack, TextInput } from '@mantine/core';
import { IconPlus, IconX } from '@tabler/icons-react';
import {
  type ClipboardEvent,
  type KeyboardEvent,
  type ReactNode,
  useEffect,
  useId,
  useRef,
  useState,
} from 'react';
import classes from './apps.module.css';
import { type RowErrors, splitEntries } from './form-values.ts';

export interface ListEditorProps {
  readonly label: string;
  readonly description: ReactNode;
  /** What a row holds, as in "Redirect URI 2". */
  readonly entry: string;
  readonly placeholder: string;
  readonly rows: readonly string[];
  readonly faults: RowErrors;
  /** Faults that are found while it is written: not shown at the row that has the focus, which may not be finished. */
  readonly liveErrors?: RowErrors | undefined;
  /** Fault of the list as a whole. */
  readonly error?: ReactNode;
  readonly max: number;
  readonly onChange: (rows: readonly string[]) => void;
  /** Below the rows. */
  readonly children?: ReactNode;
}

/** Texts in rows: Enter or the button adds one, a pasted list becomes a row each. */
export function ListEditor(props: ListEditorProps) {
  const { label, description, entry, placeholder, rows, error, max, onChange, liveErrors: early } = props;
  const id = useId();
  const inputs = useRef<(HTMLInputElement | null)[]>([]);
  const [wanted, setWanted] = useState<number>();
  const [focused, setFocused] = useState<number>();
  useEffect(() => {
    if (wanted === undefined) return;
    inputs.current[wanted]?.focus();
    setWanted(undefined);
  }, [wanted]);

  const insert = (row: number, replaced: number, texts: readonly string[]) => {
    onChange(rows.toSpliced(row, replaced, ...texts).slice(0, max));
    setWanted(Math.min(row + texts.length, max) - 1);
  };
  const remove = (row: number) => {
    onChange(rows.toSpliced(row, 1));
    setWanted(Math.max(0, row - 1));
  };
  const pressKey = (event: KeyboardEvent, row: number) => {
    if (event.key === 'Enter' && !event.nativeEvent.isComposing) {
      event.preventDefault();
      if (rows[row]?.trim() !== '' && rows.length < max) insert(row + 1, 0, ['']);
    } else if (event.key === 'Backspace' && rows[row] === '' && rows.length > 1) {
      event.preventDefault();
      remove(row);
    }
  };
  const paste = (event: ClipboardEvent, row: number) => {
    const texts = splitEntries(event.clipboardData.getData('text'));
    if (texts.length < 2) return;
    event.preventDefault();
    insert(rows[row]?.trim() === '' ? row : row + 1, rows[row]?.trim() === '' ? 1 : 0, texts);
  };

  return (
    <Input.Wrapper
      id={id}
      role="group"
      aria-labelledby={`${id}-label`}
      labelElement="div"
      label={label}
      description={description}
      error={error}
      required
    >
      <Stack gap="xs" mt="xs">
        {rows.map((text, row) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a row is its place, the text is kept elsewhere
          <Group key={row} gap={4} wrap="nowrap" align="flex-start">
            <TextInput
              ref={(input) => {
                inputs.current[row] = input;
              }}
              aria-label={rows.length === 1 ? entry : `${entry} ${row + 1}`}
              className={classes.entry ?? ''}
              placeholder={row === 0 ? placeholder : ''}
              value={text}
              error={props.faults.get(text.trim()) ?? (row === focused ? null : early?.get(text.trim()))}
              onFocus={() => setFocused(row)}
              onBlur={() => setFocused(undefined)}
              onChange={(event) => onChange(rows.with(row, event.currentTarget.value))}
              onKeyDown={(event) => pressKey(event, row)}
              onPaste={(event) => paste(event, row)}
              autoComplete="off"
              autoCapitalize="none"
              spellCheck={false}
            />
            {rows.length > 1 && (
              <ActionIcon
                variant="subtle"
                color="gray"
                size={36}
                aria-label={`Remove ${text.trim() || `${entry} ${row + 1}`}`}
                onClick={() => remove(row)}
              >
                <IconX size={16} aria-hidden />
              </ActionIcon>
            )}
          </Group>
        ))}
        {rows.length < max && (
          <Button
            variant="subtle"
            size="compact-sm"
            w="fit-content"
            leftSection={<IconPlus size={14} aria-hidden />}
            onClick={() => insert(rows.length, 0, [''])}
          >
            Add another
          </Button>
        )}
        {props.children}
      </Stack>
    </Input.Wrapper>
  );
}
