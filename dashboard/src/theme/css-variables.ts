import type { CSSVariablesResolver } from '@mantine/core';

/** Background, hover background and text of badges, alerts and icons. Contrast as in WCAG 2.2 AA. */
type Tints = Readonly<Record<string, readonly [background: string, hover: string, text: string]>>;

const lightTints: Tints = {
  accent: ['#eef3ff', '#e2eafe', '#1d44c4'],
  gray: ['#f0f2f5', '#e4e7ec', '#424b59'],
  red: ['#fef2f1', '#fde3e1', '#a4211a'],
  green: ['#ecf8f1', '#d8f0e2', '#0b6339'],
  yellow: ['#fff8e3', '#fef0c7', '#774309'],
};

const darkTints: Tints = {
  accent: ['#1b2746', '#223158', '#b8ccfd'],
  gray: ['#272e38', '#303844', '#c3c9d4'],
  red: ['#37191a', '#451e1f', '#ffb4ab'],
  green: ['#122b1f', '#173727', '#86d9ac'],
  yellow: ['#2f2610', '#3b3014', '#f2cd7c'],
};

/** Greys and tints with enough contrast on every surface of their scheme. */
export const cssVariables: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    ...tintVariables(lightTints),
    '--mantine-color-text': 'var(--mantine-color-gray-9)',
    '--mantine-color-dimmed': 'var(--mantine-color-gray-6)',
    '--mantine-color-placeholder': 'var(--mantine-color-gray-6)',
    '--mantine-color-anchor': 'var(--mantine-color-accent-7)',
    '--mantine-color-error': 'var(--mantine-color-red-7)',
    '--mantine-color-default-border': 'var(--mantine-color-gray-3)',
    '--line': 'var(--mantine-color-gray-2)',
    '--ground': 'var(--mantine-color-gray-0)',
    '--wait': 'var(--mantine-color-gray-1)',
  },
  dark: {
    ...tintVariables(darkTints),
    '--mantine-color-dimmed': 'var(--mantine-color-dark-2)',
    '--mantine-color-placeholder': 'var(--mantine-color-dark-2)',
    '--mantine-color-anchor': 'var(--mantine-color-accent-3)',
    '--mantine-color-error': '#ff9d92',
    '--line': 'var(--mantine-color-dark-5)',
    '--ground': 'var(--mantine-color-dark-8)',
    '--wait': 'var(--mantine-color-dark-5)',
  },
});

function tintVariables(tints: Tints): Record<string, string> {
  const pairs = Object.entries(tints).flatMap(([name, [background, hover, text]]) => [
    [`--mantine-color-${name}-light`, background],
    [`--mantine-color-${name}-light-hover`, hover],
    [`--mantine-color-${name}-light-color`, text],
  ]);
  return Object.fromEntries(pairs);
}
