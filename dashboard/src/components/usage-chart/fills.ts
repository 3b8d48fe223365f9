import type { UsageClass } from './usage.ts';

/** Colours of the status classes, distinct in brightness; contrast of at least 3:1 on both backgrounds. */
const colours = {
  light: { successful: '#2a55e0', refused: '#b7791f', limited: '#7c3aed', failed: '#b42318' },
  dark: { successful: '#6a91f8', refused: '#e3b341', limited: '#b794f6', failed: '#ff7b6b' },
} as const satisfies Record<'light' | 'dark', Record<UsageClass, string>>;

/** Patterns that tell the classes apart without colour. */
const patterns: Readonly<Record<UsageClass, 'solid' | 'dots' | 'stripes' | 'grid'>> = {
  successful: 'solid',
  refused: 'dots',
  limited: 'stripes',
  failed: 'grid',
};

/** Side of a pattern's tile, in pixels. */
const side = 6;

export type ColourScheme = keyof typeof colours;

/** Fill style for a canvas: a colour or pattern. */
export function fillFor(name: UsageClass, scheme: ColourScheme, background: string): string | CanvasPattern {
  const colour = colours[scheme][name];
  const pattern = patterns[name];
  if (pattern === 'solid') return colour;
  const tile = new OffscreenCanvas(side, side);
  const context = tile.getContext('2d');
  if (context === null) return colour;
  context.fillStyle = colour;
  context.fillRect(0, 0, side, side);
  context.fillStyle = background;
  context.strokeStyle = background;
  drawers[pattern](context);
  return context.createPattern(tile, 'repeat') ?? colour;
}

const drawers = {
  dots(context: OffscreenCanvasRenderingContext2D): void {
    context.fillRect(2, 2, 2, 2);
  },
  stripes(context: OffscreenCanvasRenderingContext2D): void {
    context.lineWidth = 1.5;
    context.beginPath();
    for (const shift of [-side, 0, side]) {
      context.moveTo(shift, side);
      context.lineTo(shift + side, 0);
    }
    context.stroke();
  },
  grid(context: OffscreenCanvasRenderingContext2D): void {
    context.fillRect(0, 0, side, 1.5);
    context.fillRect(0, 0, 1.5, side);
  },
} as const;

/** Background colour behind an element. */
export function backgroundColour(element: Element): string {
  const { backgroundColor } = getComputedStyle(element);
  const isClear = backgroundColor === 'transparent' || backgroundColor === 'rgba(0, 0, 0, 0)';
  return isClear && element.parentElement !== null
    ? backgroundColour(element.parentElement)
    : backgroundColor;
}
