import { type CSSVariablesResolver, createTheme, type MantineColorsTuple } from '@mantine/core';

/** The one accent. Shade 6 carries white text in both schemes. */
const accent: MantineColorsTuple = [
  '#eef3ff',
  '#dce6fe',
  '#b8ccfd',
  '#8eadfb',
  '#6a91f8',
  '#456ff0',
  '#2a55e0',
  '#1d44c4',
  '#1a3a9f',
  '#182f7c',
];
/** Surfaces and text of the dark scheme: 0 is text, 7 the page. */
const dark: MantineColorsTuple = [
  '#e6e9ef',
  '#c3c9d4',
  '#9aa4b2',
  '#8590a0',
  '#3a4350',
  '#2b323d',
  '#1c222b',
  '#13171e',
  '#0f1318',
  '#0a0d12',
];
const gray: MantineColorsTuple = [
  '#f7f8fa',
  '#f0f2f5',
  '#e4e7ec',
  '#d3d8e0',
  '#b4bcc8',
  '#8a94a3',
  '#5b6472',
  '#424b59',
  '#2a313c',
  '#161b26',
];

const systemFonts =
  'ui-sans-serif, system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif';

export const theme = createTheme({
  colors: { accent, dark, gray },
  primaryColor: 'accent',
  primaryShade: 6,
  black: gray[9],
  fontFamily: systemFonts,
  fontFamilyMonospace: 'ui-monospace, SFMono-Regular, Menlo, Consolas, "Liberation Mono", monospace',
  fontSizes: { xs: '0.75rem', sm: '0.875rem', md: '0.9375rem', lg: '1.0625rem', xl: '1.25rem' },
  defaultRadius: 'md',
  headings: {
    fontFamily: systemFonts,
    fontWeight: '620',
    sizes: {
      h1: { fontSize: '1.5rem', lineHeight: '1.3' },
      h2: { fontSize: '1.0625rem', lineHeight: '1.4' },
      h3: { fontSize: '0.9375rem', lineHeight: '1.45' },
    },
  },
  cursorType: 'pointer',
  respectReducedMotion: true,
});

/** Greys that can be read on every surface of their scheme (WCAG 2.2 AA). */
export const cssVariables: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    '--mantine-color-text': 'var(--mantine-color-gray-9)',
    '--mantine-color-dimmed': 'var(--mantine-color-gray-6)',
    '--mantine-color-placeholder': 'var(--mantine-color-gray-6)',
    '--mantine-color-anchor': 'var(--mantine-color-accent-7)',
    '--mantine-color-error': '#b42318',
    '--mantine-color-default-border': 'var(--mantine-color-gray-3)',
    '--line': 'var(--mantine-color-gray-2)',
    '--ground': 'var(--mantine-color-gray-0)',
    '--raised': 'var(--mantine-color-white)',
  },
  dark: {
    '--mantine-color-dimmed': 'var(--mantine-color-dark-2)',
    '--mantine-color-placeholder': 'var(--mantine-color-dark-2)',
    '--mantine-color-anchor': 'var(--mantine-color-accent-3)',
    '--mantine-color-error': '#ff9d92',
    '--line': 'var(--mantine-color-dark-5)',
    '--ground': 'var(--mantine-color-dark-8)',
    '--raised': 'var(--mantine-color-dark-6)',
  },
});
