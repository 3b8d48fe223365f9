import { ActionIcon, type MantineColorScheme, Menu, useMantineColorScheme } from '@mantine/core';
import { IconDeviceDesktop, IconMoon, IconSun } from '@tabler/icons-react';

const schemes = [
  { scheme: 'light', label: 'Light', icon: IconSun },
  { scheme: 'dark', label: 'Dark', icon: IconMoon },
  { scheme: 'auto', label: 'As the system', icon: IconDeviceDesktop },
] as const satisfies readonly { scheme: MantineColorScheme; label: string; icon: unknown }[];

/** Light, dark, or as the system is. */
export function ColourSchemeSwitch() {
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const current = schemes.find(({ scheme }) => scheme === colorScheme) ?? schemes[2];
  const choose = (value: string) => {
    const chosen = schemes.find(({ scheme }) => scheme === value);
    if (chosen !== undefined) setColorScheme(chosen.scheme);
  };
  return (
    <Menu withinPortal={false} position="bottom-end" width={180}>
      <Menu.Target>
        <ActionIcon
          variant="subtle"
          color="gray"
          size={36}
          aria-label={`Colour scheme: ${current.label.toLowerCase()}`}
        >
          <current.icon size={18} stroke={1.7} aria-hidden />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.RadioGroup value={colorScheme} onChange={choose}>
          {schemes.map(({ scheme, label, icon: Icon }) => (
            <Menu.RadioItem
              key={scheme}
              value={scheme}
              closeMenuOnClick
              rightSection={<Icon size={16} aria-hidden />}
            >
              {label}
            </Menu.RadioItem>
          ))}
        </Menu.RadioGroup>
      </Menu.Dropdown>
    </Menu>
  );
}
