import { ActionIcon, Menu } from '@mantine/core';
import { IconDotsVertical, type TablerIcon } from '@tabler/icons-react';
import { useRef } from 'react';

export interface MenuAct {
  readonly label: string;
  readonly icon: TablerIcon;
  /** Whether the act takes something away. */
  readonly destructive?: boolean;
  readonly onClick: () => void;
}

/** What may be done about one row of a list, behind three dots. */
export function RowMenu({
  label,
  acts,
  loading = false,
}: {
  /** What the dots are to those who do not see them: "Change the key". */
  readonly label: string;
  readonly acts: readonly MenuAct[];
  readonly loading?: boolean;
}) {
  const dots = useRef<HTMLButtonElement>(null);
  return (
    <Menu position="bottom-end" width={220}>
      <Menu.Target>
        <ActionIcon ref={dots} variant="subtle" color="gray" aria-label={label} loading={loading}>
          <IconDotsVertical size={18} aria-hidden />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {acts.map(({ label: act, icon: Icon, destructive = false, onClick }) => (
          <Menu.Item
            key={act}
            {...(destructive && { color: 'red' })}
            leftSection={<Icon size={16} aria-hidden />}
            onClick={() => {
              // A dialog that opens now gives the focus back to what has it, and the menu goes away.
              dots.current?.focus();
              onClick();
            }}
          >
            {act}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
