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
import { afterPress } from '../../components/press.ts';
import classes from './apps.module.css';
import { type RowErrors, splitEntries, tooManyError } from './form-values.ts';

export interface ListFieldProps {
  readonly label: string;
  readonly description: ReactNode;
  /** Label of one row, numbered: "Redirect URI 2". */
  readonly rowLabel: string;
  readonly placeholder: string;
  readonly rows: readonly string[];
  readonly rowErrors: RowErrors | undefined;
  /** Errors found while typing. Not shown on the focused row, which may be incomplete. */
  readonly liveErrors?: RowErrors | undefined;
  /** Error of the list as a whole. */
  readonly error?: ReactNode;
  readonly required?: boolean;
  /** Maximum entries. Further pasted ones stay until the person removes them, because a shortened list would look complete. */
  readonly max: number;
  readonly onChange: (rows: string[]) => void;
  /** Shown below the rows. */
  readonly children?: ReactNode;
}

/** A pasted text with more entries is not treated as a list. It stays in its row, and the server refuses it. */
const maxPasted = 1_000;

/** A list of texts, one per row. Enter or the button adds a row; a pasted list is split into rows. */
export function ListField(props: ListFieldProps) {
  const { label, description, rowLabel, placeholder, rows, error, max, onChange } = props;
  const id = useId();
  const inputs = useRef<(HTMLInputElement | null)[]>([]);
  const [rowToFocus, setRowToFocus] = useState<number>();
  const [focused, setFocused] = useState<number>();
  useEffect(() => {
    if (rowToFocus === undefined) return;
    inputs.current[rowToFocus]?.focus();
    setRowToFocus(undefined);
  }, [rowToFocus]);

  const errorOf = (text: string, row: number) =>
    props.rowErrors?.get(text.trim()) ?? (row === focused ? null : props.liveErrors?.get(text.trim()));
  // Deferred, because the error of the row that loses the focus appears and moves the controls below.
  const leave = (row: number) =>
    afterPress(() => setFocused((current) => (current === row ? undefined : current)));
  const insert = (row: number, replaced: number, texts: readonly string[]) => {
    onChange(rows.toSpliced(row, replaced, ...texts));
    setRowToFocus(row + texts.length - 1);
  };
  const remove = (row: number) => {
    onChange(rows.toSpliced(row, 1));
    setRowToFocus(Math.max(0, row - 1));
  };
  const handleKey = (event: KeyboardEvent, row: number) => {
    if (event.key === 'Enter' && !event.nativeEvent.isComposing) {
      event.preventDefault();
      if (rows[row]?.trim() !== '' && rows.length < max) insert(row + 1, 0, ['']);
    } else if (event.key === 'Backspace' && rows[row] === '' && rows.length > 1) {
      event.preventDefault();
      remove(row);
    }
  };
  const handlePaste = (event: ClipboardEvent, row: number) => {
    const texts = splitEntries(event.clipboardData.getData('text'));
    if (texts.length < 2 || texts.length > maxPasted) return;
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
      error={tooManyError(rows, max) ?? error}
      required={props.required ?? false}
    >
      <Stack gap="xs" mt="xs">
        {rows.map((text, row) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a row has no identity but its index
          <Group key={row} gap={4} wrap="nowrap" align="flex-start">
            <TextInput
              ref={(input) => {
                inputs.current[row] = input;
              }}
              aria-label={rows.length === 1 ? rowLabel : `${rowLabel} ${row + 1}`}
              className={classes.row ?? ''}
              placeholder={row === 0 ? placeholder : ''}
              value={text}
              error={errorOf(text, row)}
              onFocus={() => setFocused(row)}
              onBlur={() => leave(row)}
              onChange={(event) => onChange(rows.with(row, event.currentTarget.value))}
              onKeyDown={(event) => handleKey(event, row)}
              onPaste={(event) => handlePaste(event, row)}
              autoComplete="off"
              autoCapitalize="none"
              spellCheck={false}
            />
            {rows.length > 1 && (
              <ActionIcon
                variant="subtle"
                color="gray"
                size={36}
                aria-label={`Remove ${text.trim() || `${rowLabel} ${row + 1}`}`}
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
