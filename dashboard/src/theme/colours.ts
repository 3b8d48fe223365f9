import type { MantineColorsTuple } from '@mantine/core';

/** The accent colour. Shade 6 of every colour is dark enough for white text. */
export const accent: MantineColorsTuple = [
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

export const gray: MantineColorsTuple = [
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

/** Surfaces and text of the dark scheme: 0 is text, 7 the page. */
export const dark: MantineColorsTuple = [
  '#e6e9ef',
  '#c3c9d4',
  '#abb5c3',
  '#8590a0',
  '#3a4350',
  '#2b323d',
  '#1a2029',
  '#13171e',
  '#0f1318',
  '#0a0d12',
];

export const red: MantineColorsTuple = [
  '#fef2f1',
  '#fde3e1',
  '#fbc9c5',
  '#f5a29b',
  '#ec7167',
  '#dd4a3e',
  '#c4281c',
  '#a4211a',
  '#8a1f1a',
  '#74201c',
];

export const green: MantineColorsTuple = [
  '#ecf8f1',
  '#d8f0e2',
  '#b5e3c9',
  '#86d2a8',
  '#4db67e',
  '#2a9960',
  '#157a49',
  '#0b6339',
  '#0a5230',
  '#094629',
];

export const yellow: MantineColorsTuple = [
  '#fff9e8',
  '#fef0c7',
  '#fde08a',
  '#f5ca55',
  '#eab530',
  '#cf920f',
  '#a16207',
  '#854d0e',
  '#713f12',
  '#5c330e',
];
