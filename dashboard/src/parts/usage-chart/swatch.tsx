import { useComputedColorScheme } from '@mantine/core';
import { useEffect, useRef } from 'react';
import { fillOf, surfaceColour } from './fills.ts';
import type { UsageClass } from './usage.ts';

const size = 12;

/** A class as its bars look, for the legend. */
export function Swatch({ name }: { readonly name: UsageClass }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const scheme = useComputedColorScheme('light');
  useEffect(() => {
    const context = canvas.current?.getContext('2d');
    if (context === null || context === undefined) return;
    context.fillStyle = fillOf(name, scheme, surfaceColour(context.canvas));
    context.fillRect(0, 0, size, size);
  }, [name, scheme]);
  return <canvas ref={canvas} width={size} height={size} aria-hidden />;
}
